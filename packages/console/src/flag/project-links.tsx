import { useQuery } from '@tanstack/react-query';
import { projectQuery } from '../api/queries.ts';
import type { Flag } from '../save/after.ts';
import styles from './project-links.module.css';

/** The links that the project gives each of its flags. */
export function ProjectLinks({ flag: { project, name } }: { flag: Flag }) {
  const { data } = useQuery(projectQuery(project));
  const links = new Map((data?.linkTemplates ?? []).map(({ title, urlTemplate }) => [urlTemplate, title]));
  if (links.size === 0) return null;
  const urlOf = (template: string) =>
    template.replaceAll('{{project}}', encodeURIComponent(project)).replaceAll('{{feature}}', encodeURIComponent(name));
  return (
    <ul className={styles.links} aria-label="Links of the project">
      {[...links].map(([template, title]) => (
        <li key={template}>
          <a href={urlOf(template)} target="_blank" rel="noreferrer">
            {title || urlOf(template)}
          </a>
        </li>
      ))}
    </ul>
  );
}
