import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../../api/queries.ts';
import type { StoredSignal } from '../../api/signal-queries.ts';
import styles from './signal-detail.module.css';

/** More projects have no room in a row; their own pages lead to their action sets. */
const namedProjects = 5;

/** Leads to a new action set that is tried with this signal. */
export function ReactToSignal({ signal: { id, sourceId } }: { signal: StoredSignal }) {
  const { data } = useQuery(projectsQuery);
  return (
    <p className={styles.react}>
      <span className={styles.quiet}>New action set for such a signal in</span>
      {data?.projects.slice(0, namedProjects).map((project) => (
        <Link
          key={project.id}
          to="/projects/$projectId/actions/$actionSetId"
          params={{ projectId: project.id, actionSetId: 'new' }}
          search={{ endpoint: `${sourceId}`, signal: `${id}` }}
        >
          {project.name}
        </Link>
      ))}
    </p>
  );
}
