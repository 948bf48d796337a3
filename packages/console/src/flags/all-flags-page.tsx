import { getRouteApi } from '@tanstack/react-router';
import { narrowed } from '../ui/narrowed.ts';
import { PageHead } from '../ui/page-head.tsx';
import { FilterBar } from './filter-bar.tsx';
import { FlagList } from './flag-list.tsx';
import { type FlagSearch, toFilters } from './flag-search.ts';
import { NewFlag } from './new-flag.tsx';
import { SavedViews } from './views/saved-views.tsx';

const route = getRouteApi('/features');

export function AllFlagsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: FlagSearch) => void navigate(narrowed(search, changed));
  return (
    <>
      <PageHead title="Flags">
        <NewFlag />
      </PageHead>
      <SavedViews search={search} project={null} onChange={change} />
      <FilterBar search={search} onChange={change} />
      <FlagList filters={toFilters(search)} hasProjects />
    </>
  );
}
