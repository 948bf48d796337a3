import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { projectsQuery, segmentsQuery } from '../api/queries.ts';
import { constraintInWords } from '../flag/strategy-words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/counts.ts';
import { FilterRow } from '../ui/filter-row.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { useMissingForSegments } from './use-missing-for-segments.ts';

const route = getRouteApi('/segments');

/** Users that strategies of several flags have in common. */
export function SegmentsPage() {
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(segmentsQuery);
  const { data } = useQuery(projectsQuery);
  const missing = useMissingForSegments();
  const mayMakeSome = data?.projects.some(({ id }) => missing('CREATE_SEGMENT', id) === null) ?? false;
  const text = q.toLowerCase();
  return (
    <>
      <PageHead title="Segments">
        <Button
          look="primary"
          offBecause={mayMakeSome ? null : missing('CREATE_SEGMENT', null)}
          onClick={() => void navigate({ to: '/segments/$segmentId', params: { segmentId: 'new' } })}
        >
          New segment
        </Button>
      </PageHead>
      <Shown query={query}>
        {({ segments }) => {
          if (segments.length === 0)
            return (
              <Empty title="There is no segment yet">
                <p>A segment names users once, such as those of the beta. Strategies of any flag can then use it.</p>
              </Empty>
            );
          const found = segments.filter(({ name, description, project }) =>
            `${name} ${description ?? ''} ${project ?? ''}`.toLowerCase().includes(text),
          );
          return (
            <>
              <FilterRow>
                <SearchBox
                  placeholder="Name, description or project"
                  text={q}
                  onChange={(typed) => void navigate({ search: typed === '' ? {} : { q: typed }, replace: true })}
                />
              </FilterRow>
              {found.length === 0 && <Empty title="No segment has these words" />}
              {found.length > 0 && (
                <Rows label="Segments">
                  {found.map(({ id, name, description, project, constraints, usedInFeatures, usedInProjects }) => (
                    <Row
                      key={id}
                      name={
                        <>
                          <Link to="/segments/$segmentId" params={{ segmentId: `${id}` }} className={rowName}>
                            {name}
                          </Link>{' '}
                          {project !== null && <Badge>only project {project}</Badge>}
                        </>
                      }
                      description={description}
                      facts={[
                        usedInFeatures === 0
                          ? 'Not used'
                          : `Used by ${countOf(usedInFeatures, 'flag')} of ${countOf(usedInProjects, 'project')}`,
                        constraints.length === 0 ? 'everybody' : constraints.map(constraintInWords).join(' and '),
                      ]}
                    />
                  ))}
                </Rows>
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}
