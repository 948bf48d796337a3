import { useQuery } from '@tanstack/react-query';
import { attemptsQuery, integrationStatesQuery } from '../api/queries.ts';
import { Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { type Attempt, durationWords, resultWords } from './outcome-words.ts';
import styles from './outcomes.module.css';
import { TextBlock } from './text-block.tsx';

/** Each attempt to send an event, newest first, with what the endpoint answered. */
export function Attempts({ integrationId, eventId }: { integrationId: number; eventId: string }) {
  const query = useQuery(attemptsQuery(integrationId, eventId));
  return (
    <Shown query={query}>
      {({ attempts, nextAttemptAt }) => (
        <>
          {nextAttemptAt !== null && <Next integrationId={integrationId} dueAt={nextAttemptAt} />}
          {attempts.length === 0 ? (
            <p>Nothing was sent.</p>
          ) : (
            <ol className={styles.attempts} aria-label="Attempts">
              {attempts.map((attempt) => (
                <AttemptItem key={attempt.number} attempt={attempt} />
              ))}
            </ol>
          )}
        </>
      )}
    </Shown>
  );
}

/** When a delivery is sent again: when it is due, and not before the pause of the circuit ends. */
function Next({ integrationId, dueAt }: { integrationId: number; dueAt: string }) {
  const { data } = useQuery(integrationStatesQuery);
  const state = data?.states.find((each) => each.integrationId === integrationId);
  const pausedUntil = state?.circuit === 'open' ? state.pausedUntil : null;
  if (pausedUntil !== null && Date.parse(pausedUntil) > Date.parse(dueAt)) {
    return (
      <p>
        It is sent again after the pause, which ends <NextAttempt at={pausedUntil} />.
      </p>
    );
  }
  return (
    <p>
      It is sent again <NextAttempt at={dueAt} />.
    </p>
  );
}

function AttemptItem({ attempt }: { attempt: Attempt }) {
  const { number, startedAt, durationMs, response } = attempt;
  return (
    <li className={styles.attempt}>
      <p>
        <strong>Attempt {number}</strong>: {resultWords(attempt)}{' '}
        <span className={styles.quiet}>
          · <Time at={startedAt} /> · took {durationWords(durationMs)}
        </span>
      </p>
      {response ? <TextBlock text={response} /> : <p className={styles.quiet}>No answer was kept.</p>}
    </li>
  );
}
