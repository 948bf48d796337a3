import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { byFlag, type StrategyUse } from './by-flag.ts';
import { Shown } from './shown.tsx';
import styles from './strategy-uses.module.css';

/** The flags whose strategies use a thing, with links to them. */
export function StrategyUses({ query }: { query: UseQueryResult<StrategyUse[]> }) {
  return (
    <Shown query={query}>
      {(uses) =>
        uses.length === 0 ? (
          <p className={styles.quiet}>No strategy uses it.</p>
        ) : (
          <ul className={styles.list} aria-label="Used by">
            {byFlag(uses).map(({ projectId, featureName, environments }) => (
              <li key={`${projectId}/${featureName}`}>
                <Link to="/projects/$projectId/features/$featureName" params={{ projectId, featureName }}>
                  {featureName}
                </Link>{' '}
                <span className={styles.quiet}>
                  {projectId}, in {environments.join(' and ')}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}
