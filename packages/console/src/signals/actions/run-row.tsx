import type { ActionRun } from '../../api/signal-queries.ts';
import { Time } from '../../ui/time.tsx';
import { JsonText } from '../json-text.tsx';
import { RunState } from '../run-state.tsx';
import styles from './action-set.module.css';

/** A run of a set: for which signal, and what each of its steps did. */
export function RunRow({ run }: { run: ActionRun }) {
  return (
    <li className={styles.run}>
      <p className={styles.runHead}>
        <RunState state={run.state} />
        <span>
          Signal {run.signalId}, <Time at={run.createdAt} />
        </span>
      </p>
      <ol className={styles.lines}>
        {run.actionSet.actions.map(({ id, sortOrder, state, details }) => (
          <li key={id}>
            {sortOrder}. <RunState state={state} /> {details}
          </li>
        ))}
      </ol>
      <details>
        <summary>Payload of signal {run.signalId}</summary>
        {run.signal.createdAt === null ? (
          <p className={styles.quiet}>The signal was deleted: it was kept for as long as signals are kept.</p>
        ) : (
          <JsonText label={`Payload of signal ${run.signalId}`} value={run.signal.payload} />
        )}
      </details>
    </li>
  );
}
