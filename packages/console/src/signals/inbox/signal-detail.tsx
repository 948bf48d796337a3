import { Link } from '@tanstack/react-router';
import type { StoredSignal } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { isolated } from '../../ui/direction.ts';
import { JsonText } from '../json-text.tsx';
import { RunState } from '../run-state.tsx';
import { ReactToSignal } from './react-to-signal.tsx';
import styles from './signal-detail.module.css';

/** The payload of a signal, and the action sets that ran for it. */
export function SignalDetail({ signal }: { signal: StoredSignal }) {
  const missing = useMissing();
  const { id, payload, runs } = signal;
  return (
    <div className={styles.detail}>
      {payload === undefined ? (
        <p className={styles.quiet}>{missing('READ_LOGS')} Without it payloads are not shown.</p>
      ) : (
        <JsonText label={`Payload of signal ${id}`} value={payload} />
      )}
      {runs === undefined ? (
        <p className={styles.quiet}>{missing('ADMIN')} Without it runs are not shown.</p>
      ) : (
        <>
          {runs.length === 0 && (
            <p className={styles.quiet}>No action set ran: none matched, or only one that was in its cooldown.</p>
          )}
          {runs.length > 0 && (
            <ul>
              {runs.map((run) => (
                <li key={run.id}>
                  {run.actionSetName === null || run.project === null ? (
                    'An action set that was deleted'
                  ) : (
                    <Link
                      to="/projects/$projectId/actions/$actionSetId"
                      params={{ projectId: run.project, actionSetId: `${run.actionSetId}` }}
                    >
                      {isolated(run.actionSetName)}
                    </Link>
                  )}{' '}
                  {run.project !== null && <span className={styles.quiet}>of project {run.project}, </span>}
                  <span className={styles.quiet}>run {run.id}</span> <RunState state={run.state} />
                </li>
              ))}
            </ul>
          )}
          <ReactToSignal signal={signal} />
        </>
      )}
    </div>
  );
}
