import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { contextFieldsQuery } from '../api/queries.ts';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { ContextFieldRows } from './context-field-rows.tsx';
import { useMissingForContextFields } from './use-missing-for-context-fields.ts';

const route = getRouteApi('/projects/$projectId/context');

/** The context fields that this project alone can use. */
export function ProjectContextFieldsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const missing = useMissingForContextFields();
  const query = useQuery(contextFieldsQuery(projectId));
  return (
    <ProjectFrame
      projectId={projectId}
      actions={
        <Button
          look="primary"
          offBecause={missing('CREATE_CONTEXT_FIELD', projectId)}
          onClick={() => void navigate({ to: '/projects/$projectId/new-context-field', params: { projectId } })}
        >
          New context field
        </Button>
      }
    >
      {() => (
        <>
          <p>
            Context fields that this project alone can use. It can use{' '}
            <Link to="/context-fields">those of all projects</Link> too.
          </p>
          <Shown query={query}>
            {(fields) => {
              const own = fields.filter(({ project }) => project === projectId);
              return own.length === 0 ? (
                <Empty title="The project has no context field of its own">
                  <p>A context field is what SDKs tell of a user, such as the plan of a customer.</p>
                </Empty>
              ) : (
                <ContextFieldRows projectId={projectId} fields={own} />
              );
            }}
          </Shown>
        </>
      )}
    </ProjectFrame>
  );
}
