import { getRouteApi } from '@tanstack/react-router';
import { FilterBar } from '../flags/filter-bar.tsx';
import { FlagList } from '../flags/flag-list.tsx';
import { type FlagSearch, toFilters } from '../flags/flag-search.ts';
import { NewFlag } from '../flags/new-flag.tsx';
import { SavedViews } from '../flags/views/saved-views.tsx';
import { narrowed } from '../ui/narrowed.ts';
import { ProjectFrame } from './project-frame.tsx';
import styles from './projects-page.module.css';

const route = getRouteApi('/projects/$projectId');

/** The flags of a project. */
export function ProjectPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: FlagSearch) => void navigate(narrowed(search, changed));
  return (
    <ProjectFrame projectId={projectId} actions={<NewFlag project={projectId} />}>
      {({ description }) => (
        <>
          {description && <p className={styles.description}>{description}</p>}
          <SavedViews search={search} project={projectId} onChange={change} />
          <FilterBar search={search} onChange={change} />
          <FlagList filters={toFilters(search, projectId)} hasProjects={false} />
        </>
      )}
    </ProjectFrame>
  );
}
