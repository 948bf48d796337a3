import type { Outcome } from './outcome-words.ts';
import { prettyJson } from './outcome-words.ts';
import styles from './outcomes.module.css';

/** What was sent, and the event that it tells of. */
export function Payload({ details, event }: Pick<Outcome, 'details' | 'event'>) {
  const { body, ...rest } = details;
  return (
    <div className={styles.payload}>
      {typeof body === 'string' && (
        <details>
          <summary>What was sent</summary>
          <pre className={styles.json}>{prettyJson(body)}</pre>
        </details>
      )}
      {Object.keys(rest).length > 0 && (
        <details>
          <summary>Details of the provider</summary>
          <pre className={styles.json}>{JSON.stringify(rest, null, 2)}</pre>
        </details>
      )}
      <details>
        <summary>The event as JSON</summary>
        <pre className={styles.json}>{JSON.stringify(event, null, 2)}</pre>
      </details>
    </div>
  );
}
