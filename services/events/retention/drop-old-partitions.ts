import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Link } from '../chain/chain.ts';
import { tellDropped } from '../chain/heads-file.ts';
import type { EventsTables } from '../db/schema.ts';
import { dropOldestPartition } from './retention.repo.ts';

/** Days are what is promised: an hour more or less is none of it. */
const everyMs = 3_600_000;

/** Drops every partition of the log that is older than so many days as a whole; returns the last event that went, null when none did. */
export async function dropOldPartitions(
  db: Database<EventsTables>,
  keepDays: number,
  headsFile?: string,
): Promise<Link | null> {
  const tell = async (last: Link) => {
    if (headsFile !== undefined) await tellDropped(headsFile, last);
  };
  let dropped: Link | null = null;
  for (;;) {
    const next = await dropOldestPartition(db, keepDays, tell);
    if (next === null) return dropped;
    dropped = next;
  }
}

/**
 * Does so now and every hour, and tells in the log and in the file of heads, when there is one, what went; returns how to stop. Nothing is
 * ever dropped when no number of days is set.
 */
export function startRetention(options: {
  db: Database<EventsTables>;
  log: Logger;
  keepDays: number | undefined;
  headsFile: string | undefined;
}): () => void {
  const { db, log, keepDays, headsFile } = options;
  if (keepDays === undefined) return () => {};
  const drop = () => {
    dropOldPartitions(db, keepDays, headsFile).then(
      (last) => {
        if (last !== null) log.info({ ...last, keepDays }, 'old events up to this one were dropped');
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
