import { Link } from '@tanstack/react-router';
import type { Flag } from '../save/after.ts';
import styles from './flag-page.module.css';

/** The flags that a flag depends on, and those that depend on it. */
export function Dependencies({ flag: { project, dependencies, children } }: { flag: Flag }) {
  if (dependencies.length + children.length === 0) return null;
  const link = (featureName: string) => (
    <Link
      key={featureName}
      to="/projects/$projectId/features/$featureName"
      params={{ projectId: project, featureName }}
    >
      {featureName}
    </Link>
  );
  return (
    <ul className={styles.dependencies}>
      {dependencies.map(({ feature, enabled = true, variants = [] }) => (
        <li key={feature}>
          On only where {link(feature)} is {enabled ? 'on' : 'off'}
          {variants.length > 0 && ` with the variant ${variants.join(' or ')}`}.
        </li>
      ))}
      {children.length > 0 && <li className={styles.children}>Flags that depend on this: {children.map(link)}</li>}
    </ul>
  );
}
