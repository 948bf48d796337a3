import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { Section } from '../ui/section.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { NamingSettings } from './naming-settings.tsx';
import { type Project, ProjectFrame } from './project-frame.tsx';
import styles from './projects-page.module.css';

const route = getRouteApi('/projects/$projectId/settings');

/** What a project is, how its flags are named, and its end. */
export function ProjectSettingsPage() {
  const { projectId } = route.useParams();
  return (
    <ProjectFrame projectId={projectId}>
      {(project) => (
        <div key={projectId} className={styles.settings}>
          <GeneralSettings id={projectId} project={project} />
          <NamingSettings id={projectId} project={project} />
          {project.archivedAt === null && <ArchiveProject id={projectId} project={project} />}
        </div>
      )}
    </ProjectFrame>
  );
}

function ArchiveProject({ id, project: { name } }: { id: string; project: Project }) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const missing = useMissing()('DELETE_PROJECT', id);
  const params = { path: { projectId: id } };
  return (
    <Section title="Archive">
      <p>A project is archived once all of its flags are. It can be revived.</p>
      <div>
        <DeleteButton
          verb="Archive"
          what={`the project ${name}`}
          offBecause={missing ?? (id === 'default' ? 'The project default cannot be archived.' : null)}
          send={() => write(() => api.POST('/api/admin/projects/archive/{projectId}', { params }))}
          onDone={() => {
            sayDone(`The project ${name} was archived.`);
            void navigate({ to: '/projects', search: { archived: 'true' } });
            void queries.invalidateQueries();
          }}
        >
          It is no longer listed, and no flag can be made in it.
        </DeleteButton>
      </div>
    </Section>
  );
}
