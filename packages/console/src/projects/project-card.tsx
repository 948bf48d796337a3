import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/badge.tsx';
import { countOf } from '../ui/counts.ts';
import { Time } from '../ui/time.tsx';
import { ProjectStar } from './project-star.tsx';
import styles from './projects-page.module.css';
import { ReviveProject } from './revive-project.tsx';

/** A project in the list of projects. */
export function ProjectCard({ project }: { project: Schemas['projectSchema'] }) {
  const { id, name, description, favorite, featureCount, staleFeatureCount, archivedAt, lastUpdatedAt } = project;
  return (
    <li className={styles.card}>
      <div className={styles.top}>
        <h2>
          {archivedAt === null ? (
            <Link to="/projects/$projectId" params={{ projectId: id }}>
              {name}
            </Link>
          ) : (
            name
          )}
        </h2>
        {archivedAt === null && <ProjectStar {...{ id, name, favorite }} />}
      </div>
      {description && <p className={styles.quiet}>{description}</p>}
      <p>
        {countOf(featureCount, 'flag')}{' '}
        {staleFeatureCount > 0 && <Badge look="warning">{staleFeatureCount} stale</Badge>}
      </p>
      {archivedAt === null ? (
        <p className={styles.quiet}>
          Changed <Time at={lastUpdatedAt} />
        </p>
      ) : (
        <>
          <p className={styles.quiet}>
            Archived <Time at={archivedAt} />
          </p>
          <ReviveProject id={id} name={name} />
        </>
      )}
    </li>
  );
}
