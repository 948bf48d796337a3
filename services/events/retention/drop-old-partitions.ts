import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { dropOldestPartition } from './retention.repo.ts';

/** Days are what is promised: an hour more or less is none of it. */
const everyMs = 3_600_000;

/** Drops every partition of the log that is older than so many days as a whole; returns the last id that went, null when none did. */
export async function dropOldPartitions(db: Database<EventsTables>, keepDays: number): Promise<number | null> {
  let dropped: number | null = null;
  for (;;) {
    const next = await dropOldestPartition(db, keepDays);
    if (next === null) return dropped;
    dropped = next;
  }
}

/** Does so now and every hour; returns how to stop. Nothing is ever dropped when no number of days is set. */
export function startRetention(db: Database<EventsTables>, log: Logger, keepDays: number | undefined): () => void {
  if (keepDays === undefined) return () => {};
  const drop = () => {
    dropOldPartitions(db, keepDays).then(
      (lastId) => {
        if (lastId !== null) log.info({ lastId, keepDays }, 'old events were dropped');
      },
      (error: unknown) =>
        log.warn({ err: coerceError(error) }, 'old events were not dropped; it is tried again in an hour'),
    );
  };
  const timer = setInterval(drop, everyMs);
  timer.unref();
  drop();
  return () => clearInterval(timer);
}
