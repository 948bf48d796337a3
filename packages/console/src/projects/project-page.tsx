import { getRouteApi } from '@tanstack/react-router';
import { FilterBar } from '../flags/filter-bar.tsx';
import { FlagList } from '../flags/flag-list.tsx';
import { toFilters } from '../flags/flag-search.ts';
import { NewFlag } from '../flags/new-flag.tsx';
import { ProjectFrame } from './project-frame.tsx';
import styles from './projects-page.module.css';

const route = getRouteApi('/projects/$projectId');

/** The flags of a project. */
export function ProjectPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ProjectFrame projectId={projectId} actions={<NewFlag project={projectId} />}>
      {({ description }) => (
        <>
          {description && <p className={styles.description}>{description}</p>}
          <FilterBar search={search} onChange={(changed) => void navigate({ search: changed, replace: true })} />
          <FlagList filters={toFilters(search, projectId)} hasProjects={false} />
        </>
      )}
    </ProjectFrame>
  );
}
