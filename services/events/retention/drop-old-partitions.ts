import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { Link } from '../chain/chain.ts';
import { appendDropped } from '../chain/heads-file.ts';
import type { EventsTables } from '../db/schema.ts';
import { dropOldestPartition } from './retention.repo.ts';

/** Days are what is promised: an hour more or less is none of it. */
const everyMs = 3_600_000;

/** Drops every partition of the log that is older than so many days as a whole; returns the last event that went, null when none did. */
export async function dropOldPartitions(
  db: Database<EventsTables>,
  keepDays: number,
  headsFile?: string,
  signal?: AbortSignal,
): Promise<Link | null> {
  const tell = async (last: Link) => {
    if (headsFile !== undefined) await appendDropped(headsFile, last);
  };
  let dropped: Link | null = null;
  while (!signal?.aborted) {
    const next = await dropOldestPartition(db, keepDays, tell);
    if (next === null) break;
    dropped = next;
  }
  return dropped;
}

/**
 * Does so now and every hour until the signal aborts, and notes what it dropped in the process' log and in the file of heads, when there is
 * one. Without a number of days nothing is ever dropped.
 */
export async function keepRetention(options: {
  db: Database<EventsTables>;
  log: Logger;
  signal: AbortSignal;
  keepDays: number | undefined;
  headsFile: string | undefined;
}): Promise<void> {
  const { db, log, signal, keepDays, headsFile } = options;
  while (keepDays !== undefined && !signal.aborted) {
    try {
      const last = await dropOldPartitions(db, keepDays, headsFile, signal);
      if (last !== null) log.info({ ...last, keepDays }, 'old events up to this one were dropped');
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'old events were not dropped; it is tried again in an hour');
    }
    await pause(everyMs, signal);
  }
}
