import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { projectsQuery, segmentsQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { FilterRow } from '../ui/filter-row.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { SegmentRows } from './segment-rows.tsx';
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
              {found.length > 0 && <SegmentRows hasProject segments={found} />}
            </>
          );
        }}
      </Shown>
    </>
  );
}
