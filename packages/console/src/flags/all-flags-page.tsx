import { getRouteApi } from '@tanstack/react-router';
import { PageHead } from '../ui/page-head.tsx';
import { FilterBar } from './filter-bar.tsx';
import { FlagList } from './flag-list.tsx';
import { toFilters } from './flag-search.ts';
import { NewFlag } from './new-flag.tsx';

const route = getRouteApi('/features');

export function AllFlagsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHead title="Flags">
        <NewFlag />
      </PageHead>
      <FilterBar search={search} onChange={(changed) => void navigate({ search: changed, replace: true })} />
      <FlagList filters={toFilters(search)} hasProjects />
    </>
  );
}
