import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../api/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import styles from './projects-page.module.css';

export function ProjectsPage() {
  const query = useQuery(projectsQuery);
  return (
    <>
      <PageHead title="Projects" />
      <Shown query={query}>
        {({ projects }) =>
          projects.length === 0 ? (
            <Empty title="You can see no project">
              <p>Ask its owner for a role in it.</p>
            </Empty>
          ) : (
            <ul className={styles.list}>
              {projects.map((project) => (
                <li key={project.id} className={styles.card}>
                  <h2>
                    <Link to="/projects/$projectId" params={{ projectId: project.id }}>
                      {project.name}
                    </Link>
                  </h2>
                  {project.description && <p className={styles.quiet}>{project.description}</p>}
                  <p>
                    {project.featureCount === 1 ? 'One flag' : `${project.featureCount.toLocaleString()} flags`}{' '}
                    {project.staleFeatureCount > 0 && <Badge look="warning">{project.staleFeatureCount} stale</Badge>}
                  </p>
                  <p className={styles.quiet}>
                    Changed <Time at={project.lastUpdatedAt} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}
