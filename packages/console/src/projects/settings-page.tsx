import { getRouteApi } from '@tanstack/react-router';
import { GeneralSettings } from './general-settings.tsx';
import { LinkSettings } from './link-settings.tsx';
import { NamingSettings } from './naming-settings.tsx';
import { ProjectEnd } from './project-end.tsx';
import { ProjectFrame } from './project-frame.tsx';
import styles from './projects-page.module.css';

const route = getRouteApi('/projects/$projectId/settings');

/** What a project is, how its flags are named, what they link to, and its end. */
export function ProjectSettingsPage() {
  const { projectId } = route.useParams();
  return (
    <ProjectFrame projectId={projectId}>
      {(project) => (
        <div key={projectId} className={styles.settings}>
          <GeneralSettings id={projectId} project={project} />
          <NamingSettings id={projectId} project={project} />
          <LinkSettings id={projectId} project={project} />
          <ProjectEnd id={projectId} project={project} />
        </div>
      )}
    </ProjectFrame>
  );
}
