import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { archivedProjectsQuery } from '../api/configuration-queries.ts';
import { projectsQuery } from '../api/queries.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { currentTab, Tabs } from '../ui/tabs.tsx';
import { NewProject } from './new-project.tsx';
import { ProjectCard } from './project-card.tsx';
import styles from './projects-page.module.css';

const route = getRouteApi('/projects');

export function ProjectsPage() {
  const { archived } = route.useSearch();
  return (
    <>
      <PageHead title="Projects">
        <NewProject />
      </PageHead>
      <Tabs label="Projects">
        <Link to="/projects" activeOptions={{ exact: true }} activeProps={currentTab}>
          In use
        </Link>
        <Link to="/projects" search={{ archived: 'true' }} activeOptions={{ exact: true }} activeProps={currentTab}>
          Archived
        </Link>
      </Tabs>
      {archived === undefined ? <ProjectsInUse /> : <ArchivedProjects />}
    </>
  );
}

function ProjectsInUse() {
  const query = useQuery(projectsQuery);
  return (
    <Shown query={query}>
      {({ projects }) =>
        projects.length === 0 ? (
          <Empty title="You can see no project">
            <p>Ask its owner for a role in it.</p>
          </Empty>
        ) : (
          <ul className={styles.list}>
            {projects
              .toSorted((one, other) => Number(other.favorite) - Number(one.favorite))
              .map((project) => (
                <ProjectCard key={project.id} project={project} />
              ))}
          </ul>
        )
      }
    </Shown>
  );
}

function ArchivedProjects() {
  const query = useQuery(archivedProjectsQuery);
  return (
    <Shown query={query}>
      {(projects) =>
        projects.length === 0 ? (
          <Empty title="No project is archived" />
        ) : (
          <ul className={styles.list}>
            {projects.map((project) => (
              <ProjectCard key={project.id} project={project} />
            ))}
          </ul>
        )
      }
    </Shown>
  );
}
