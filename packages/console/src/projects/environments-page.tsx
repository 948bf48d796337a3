import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { projectEnvironmentsQuery } from '../api/configuration-queries.ts';
import { segmentsQuery } from '../api/queries.ts';
import { segmentNamesIn } from '../flag/strategy-words.ts';
import { Rows } from '../ui/rows.tsx';
import { Shown } from '../ui/shown.tsx';
import { ProjectEnvironmentRow } from './project-environment-row.tsx';
import { ProjectFrame } from './project-frame.tsx';

const route = getRouteApi('/projects/$projectId/environments');

/** Which environments the flags of a project have, and which strategy they get there. */
export function ProjectEnvironmentsPage() {
  const { projectId } = route.useParams();
  const query = useQuery(projectEnvironmentsQuery(projectId));
  const segments = useQuery(segmentsQuery);
  const names = segmentNamesIn(segments.data);
  return (
    <ProjectFrame projectId={projectId}>
      {() => (
        <Shown query={query}>
          {(environments) => (
            <Rows label="Environments">
              {environments.map((environment) => (
                <ProjectEnvironmentRow key={environment.name} {...{ projectId, environment, names }} />
              ))}
            </Rows>
          )}
        </Shown>
      )}
    </ProjectFrame>
  );
}
