import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { Link } from '../chain/chain.ts';
import { appendDropped } from '../chain/heads-file.ts';
import type { EventsTables } from '../db/schema.ts';
import { dropOldestPartition } from './retention.repo.ts';

/** The setting counts days, so an hour makes no difference. */
const everyMs = 3_600_000;

/** Meanwhile the recorder and all reads wait. A disk that hangs postpones the drop to the next run. */
const recordLimitMs = 1_000;

/** Drops the partitions whose events are all older than `keepDays`. Returns the last dropped event, else null. */
export async function dropOldPartitions(
  db: Database<EventsTables>,
  keepDays: number,
  headsFolder?: string,
  signal?: AbortSignal,
): Promise<Link | null> {
  const recordDrop = async (last: Link) => {
    if (headsFolder === undefined) return;
    const written = appendDropped(headsFolder, last).then(() => true);
    if (await Promise.race([written, pause(recordLimitMs)])) return;
    throw new Error(`${headsFolder} did not take a line within ${recordLimitMs} ms.`);
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
 * Drops old partitions every hour, in one replica at a time. It records each drop in the process log and, if set, in a
 * file of heads. It needs no fence: two replicas at once drop different partitions.
 */
export function startRetention(options: {
  db: Database<EventsTables>;
  log: Logger;
  keepDays: number;
  headsFolder: string | undefined;
}): Leader {
  const { db, log, keepDays, headsFolder } = options;
  return startPeriodicJob({ db, log, name: 'retention', everyMs }, async ({ signal }) => {
    const last = await dropOldPartitions(db, keepDays, headsFolder, signal);
    if (last !== null) log.info({ ...last, keepDays }, 'old events up to this one were dropped');
  });
}
