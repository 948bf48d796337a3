import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import type { Integration } from './draft.ts';
import styles from './health.module.css';
import { healthOf, type IntegrationState, waitingWords } from './health.ts';
import { NextAttempt } from './next-attempt.tsx';

/** How an integration does, in one line of a list. */
export function HealthLine({ integration, state }: { integration: Integration; state: IntegrationState | undefined }) {
  if (state === undefined) return <p className={styles.line}>…</p>;
  const { look, label, means } = healthOf(integration, state);
  const waiting = waitingWords(state);
  const { lastOutcome, nextAttemptAt } = state;
  return (
    <div className={styles.line}>
      <p title={means}>
        <Badge look={look}>{label}</Badge>
      </p>
      <p className={styles.quiet}>
        {waiting !== null && `${waiting}. `}
        {integration.enabled && nextAttemptAt !== null && (
          <>
            Next attempt <NextAttempt at={nextAttemptAt} />.{' '}
          </>
        )}
        {waiting === null && lastOutcome !== null && (
          <>
            Last outcome <Time at={lastOutcome.createdAt} />.
          </>
        )}
      </p>
    </div>
  );
}
