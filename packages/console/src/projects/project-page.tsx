import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { projectQuery } from '../api/queries.ts';
import { FilterBar } from '../flags/filter-bar.tsx';
import { FlagList } from '../flags/flag-list.tsx';
import { toFilters } from '../flags/flag-search.ts';
import { NewFlag } from '../flags/new-flag.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Shown } from '../ui/shown.tsx';

const route = getRouteApi('/projects/$projectId');

/** The flags of a project. */
export function ProjectPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(projectQuery(projectId));
  return (
    <Shown query={query}>
      {({ name, description }) => (
        <>
          <PageHead title={name} above={<Link to="/projects">Projects</Link>}>
            <Link to="/projects/$projectId/actions" params={{ projectId }}>
              Action sets
            </Link>
            <NewFlag project={projectId} />
          </PageHead>
          {description && <p>{description}</p>}
          <FilterBar search={search} onChange={(changed) => void navigate({ search: changed, replace: true })} />
          <FlagList filters={toFilters(search, projectId)} hasProjects={false} />
        </>
      )}
    </Shown>
  );
}
