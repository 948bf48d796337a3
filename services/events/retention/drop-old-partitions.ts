import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { Link } from '../chain/chain.ts';
import { appendDropped } from '../chain/heads-file.ts';
import type { EventsTables } from '../db/schema.ts';
import { dropOldestPartition } from './retention.repo.ts';

/** The setting counts days, so an hour makes no difference. */
const everyMs = 3_600_000;

/** Drops the partitions whose events are all older than `keepDays`. Returns the last dropped event, else null. */
export async function dropOldPartitions(
  db: Database<EventsTables>,
  keepDays: number,
  headsFolder?: string,
  signal?: AbortSignal,
): Promise<Link | null> {
  const recordDrop = async (last: Link) => {
    if (headsFolder !== undefined) await appendDropped(headsFolder, last);
  };
  let dropped: Link | null = null;
  while (!signal?.aborted) {
    const next = await dropOldestPartition(db, keepDays, recordDrop);
    if (next === null) break;
    dropped = next;
  }
  return dropped;
}

/**
 * Drops old partitions now and every hour until the signal aborts. It records each drop in the process log and, if set,
 * in a file of heads. Without `keepDays` it drops nothing.
 */
export async function keepRetention(options: {
  db: Database<EventsTables>;
  log: Logger;
  signal: AbortSignal;
  keepDays: number | undefined;
  headsFolder: string | undefined;
}): Promise<void> {
  const { db, log, signal, keepDays, headsFolder } = options;
  while (keepDays !== undefined && !signal.aborted) {
    try {
      const last = await dropOldPartitions(db, keepDays, headsFolder, signal);
      if (last !== null) log.info({ ...last, keepDays }, 'old events up to this one were dropped');
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'old events were not dropped; the next attempt is in an hour');
    }
    await pause(everyMs, signal);
  }
}
