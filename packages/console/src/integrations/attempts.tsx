import { useQuery } from '@tanstack/react-query';
import { attemptsQuery } from '../api/queries.ts';
import { Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { type Attempt, durationWords, resultWords } from './outcome-words.ts';
import styles from './outcomes.module.css';

/** Each attempt to send an event, newest first, with what the endpoint answered. */
export function Attempts({ integrationId, eventId }: { integrationId: number; eventId: string }) {
  const query = useQuery(attemptsQuery(integrationId, eventId));
  return (
    <Shown query={query}>
      {({ attempts, nextAttemptAt }) => (
        <>
          {nextAttemptAt !== null && (
            <p>
              It is sent again <NextAttempt at={nextAttemptAt} />, unless the circuit is open then.
            </p>
          )}
          {attempts.length === 0 ? <p>Nothing was sent.</p> : <AttemptTable attempts={attempts} />}
        </>
      )}
    </Shown>
  );
}

function AttemptTable({ attempts }: { attempts: Attempt[] }) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Attempts</caption>
      <thead>
        <tr>
          <th scope="col">Attempt</th>
          <th scope="col">Result</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((attempt) => (
          <tr key={attempt.number}>
            <th scope="row">
              {attempt.number}
              <span className={styles.quiet}>
                <Time at={attempt.startedAt} />, took {durationWords(attempt.durationMs)}
              </span>
            </th>
            <td>{resultWords(attempt)}</td>
            <td>
              {attempt.response ? (
                <pre className={styles.answer}>{attempt.response}</pre>
              ) : (
                <span className={styles.quiet}>none</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
