import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { segmentsQuery } from '../api/queries.ts';
import { ProjectFrame } from '../projects/project-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { SegmentRows } from './segment-rows.tsx';
import { useMissingForSegments } from './use-missing-for-segments.ts';

const route = getRouteApi('/projects/$projectId/segments');

/** The segments that this project alone can use. */
export function ProjectSegmentsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const missing = useMissingForSegments();
  const query = useQuery(segmentsQuery);
  const toNew = { to: '/segments/$segmentId', params: { segmentId: 'new' }, search: { project: projectId } } as const;
  return (
    <ProjectFrame
      projectId={projectId}
      actions={
        <Button look="primary" offBecause={missing('CREATE_SEGMENT', projectId)} onClick={() => void navigate(toNew)}>
          New segment
        </Button>
      }
    >
      {() => (
        <>
          <p>
            Segments that this project alone can use. It can use <Link to="/segments">those of all projects</Link> too.
          </p>
          <Shown query={query}>
            {({ segments }) => {
              const own = segments.filter(({ project }) => project === projectId);
              return own.length === 0 ? (
                <Empty title="The project has no segment of its own">
                  <p>A segment names users once, such as those of the beta.</p>
                </Empty>
              ) : (
                <SegmentRows hasProject={false} segments={own} />
              );
            }}
          </Shown>
        </>
      )}
    </ProjectFrame>
  );
}
