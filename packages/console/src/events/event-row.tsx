import type { ReactNode } from 'react';
import type { LogEvent } from '../api/queries.ts';
import { shownJson } from '../ui/direction.ts';
import { LogRow } from '../ui/log-row.tsx';
import { Time } from '../ui/time.tsx';
import { differences } from './differences.ts';
import styles from './event-row.module.css';
import { EventSentence } from './event-sentence.tsx';

/** An event of the log: what happened, when, and on demand what was different before. */
export function EventRow({ event, end }: { event: LogEvent; end?: ReactNode }) {
  return (
    <LogRow
      id={event.id}
      what={`what event ${event.id} changed`}
      detail={() => <EventDetail event={event} />}
      end={end}
    >
      <p>
        <EventSentence event={event} />
      </p>
      <p className={styles.facts}>
        {event.label}
        {event.environment && ` · ${event.environment}`} · <Time at={event.createdAt} />
      </p>
    </LogRow>
  );
}

function EventDetail({ event }: { event: LogEvent }) {
  const changed = differences(event.preData, event.data);
  return (
    <div className={styles.detail}>
      {changed.length === 0 ? (
        <p>The event has no data that differs before and after.</p>
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Property</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ path, before, after }) => (
              <tr key={path}>
                <th scope="row">{path}</th>
                <td>{shown(before)}</td>
                <td>{shown(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details>
        <summary>The whole event as JSON</summary>
        <pre className={styles.json}>{shownJson(event, 2)}</pre>
      </details>
    </div>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : shownJson(value);
}
