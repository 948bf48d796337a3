import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { featuresQuery, projectsQuery } from '../api/queries.ts';
import { SelectField } from '../ui/field.tsx';
import { FilterRow } from '../ui/filter-row.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { Board } from './board.tsx';
import { parseStalenessSearch, type StalenessSearch } from './staleness-search.ts';

const route = getRouteApi('/staleness');

/** The flags whose time is over, so that somebody cleans them up. */
export function StalenessPage() {
  const { project, state } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(projectsQuery);
  const query = useInfiniteQuery(
    featuresQuery({
      state: state === undefined ? 'IS_ANY_OF:stale,potentially-stale' : `IS:${state}`,
      project: project === undefined ? undefined : `IS:${project}`,
      sortBy: 'lastSeenAt',
      sortOrder: 'asc',
    }),
  );
  const set = (change: { [Name in keyof StalenessSearch]: string }) =>
    void navigate({ search: parseStalenessSearch({ project, state, ...change }) });
  return (
    <>
      <PageHead title="Staleness" />
      <FilterRow>
        <SelectField label="Project" value={project ?? ''} onChange={(event) => set({ project: event.target.value })}>
          <option value="">All projects</option>
          {data?.projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label="State" value={state ?? ''} onChange={(event) => set({ state: event.target.value })}>
          <option value="">Stale and potentially stale</option>
          <option value="stale">Stale: somebody has marked it</option>
          <option value="potentially-stale">Potentially stale: older than its type lives</option>
        </SelectField>
      </FilterRow>
      <Shown query={query}>
        {({ pages }) => {
          const flags = pages.flatMap(({ features }) => features);
          return flags.length === 0 ? (
            <Empty title="No flag is stale">
              <p>A flag that is older than the lifetime of its type is shown here.</p>
            </Empty>
          ) : (
            <Board
              flags={flags}
              total={pages[0]?.total ?? 0}
              readOn={query.hasNextPage ? () => void query.fetchNextPage() : null}
              isReading={query.isFetchingNextPage}
            />
          );
        }}
      </Shown>
    </>
  );
}
