import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { isolated } from '../ui/direction.ts';
import { Section } from '../ui/section.tsx';
import { sayDone } from '../ui/toasts.tsx';
import type { Project } from './project-frame.tsx';

interface Props {
  id: string;
  project: Project;
}

/** Archives a project, or deletes it. The API refuses both while it has flags in use, and names them. */
export function ProjectEnd({ id, project }: Props) {
  const missing = useMissing()('DELETE_PROJECT', id);
  const offBecause = missing ?? (id === 'default' ? 'The project default can neither be archived nor deleted.' : null);
  return (
    <Section title="Archive and delete" hint="Only once each of its flags is archived.">
      {project.archivedAt === null && (
        <>
          <p>An archived project is not listed with the others. It keeps all that it has, and can be revived.</p>
          <div>
            <ArchiveProject {...{ id, project, offBecause }} />
          </div>
        </>
      )}
      <p>A deleted project is gone, with its archived flags, segments, context fields and roles.</p>
      <div>
        <DeleteProject {...{ id, project, offBecause }} />
      </div>
    </Section>
  );
}

interface EndProps extends Props {
  offBecause: string | null;
}

function ArchiveProject({ id, project: { name }, offBecause }: EndProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <DeleteButton
      verb="Archive"
      what={`the project ${isolated(name)}`}
      offBecause={offBecause}
      send={() =>
        write(() => api.POST('/api/admin/projects/archive/{projectId}', { params: { path: { projectId: id } } }))
      }
      onDone={() => {
        sayDone(`The project ${isolated(name)} was archived.`);
        void navigate({ to: '/projects', search: { archived: 'true' } });
        void queries.invalidateQueries();
      }}
    >
      It is no longer listed, and no flag can be made in it.
    </DeleteButton>
  );
}

function DeleteProject({ id, project: { name }, offBecause }: EndProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <DeleteButton
      what={`the project ${isolated(name)}`}
      offBecause={offBecause}
      send={() => write(() => api.DELETE('/api/admin/projects/{projectId}', { params: { path: { projectId: id } } }))}
      onDone={async () => {
        sayDone(`The project ${isolated(name)} was deleted.`);
        await navigate({ to: '/projects' });
        // What is known of it would be read again, and not be found.
        for (const about of ['project', 'feature']) queries.removeQueries({ queryKey: [about, id] });
        await queries.invalidateQueries();
      }}
    >
      Its archived flags, segments, context fields and favourites are deleted with it, and nobody keeps a role in it.
      This cannot be taken back. The event log keeps what was done.
    </DeleteButton>
  );
}
