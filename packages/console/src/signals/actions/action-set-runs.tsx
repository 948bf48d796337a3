import { useInfiniteQuery } from '@tanstack/react-query';
import { actionRunsQuery } from '../../api/signal-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Shown } from '../../ui/shown.tsx';
import styles from './action-set.module.css';
import type { ActionSet } from './draft.ts';
import { RunRow } from './run-row.tsx';

/** What a set did, newest first. */
export function ActionSetRuns({ set: { id, project } }: { set: ActionSet }) {
  const query = useInfiniteQuery(actionRunsQuery(project, id));
  return (
    <section className={styles.part} aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <Shown query={query}>
        {({ pages }) => {
          const runs = pages.flat();
          if (runs.length === 0) return <p className={styles.quiet}>It has not run yet.</p>;
          return (
            <>
              <ol>
                {runs.map((run) => (
                  <RunRow key={run.id} run={run} />
                ))}
              </ol>
              {query.hasNextPage && (
                <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show older runs
                </Button>
              )}
            </>
          );
        }}
      </Shown>
    </section>
  );
}
