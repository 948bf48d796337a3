import { type Database, type Leader, type Leadership, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { SignalsTables } from '../db/schema.ts';
import { deleteOldestSignals, dropOldestPartition, makePartitions } from './retention.repo.ts';

/** In a minute an installation draws fewer ids than the two partitions ahead have. An idle round costs nothing. */
const everyMs = 60_000;

/**
 * The job that keeps the partitions of signals, in one replica at a time. The states of a partition:
 *
 *   ahead    No id of it is drawn. It exists before its first signal.
 *   current  Its ids are being drawn, and its signals are being stored.
 *   past     All of its ids are drawn. A signal of it may still wait in the stream.
 *   old      Each of its signals was stored before the retention. The next round drops it. A signal that comes later
 *            is stored in `signals_rest`.
 */
export function startRetention({
  db,
  log,
  retentionDays,
}: {
  db: Database<SignalsTables>;
  log: Logger;
  retentionDays: number;
}): Leader {
  return startPeriodicJob({ db, log, name: 'retention', everyMs }, (leadership) =>
    keepSignals(db, leadership, retentionDays),
  );
}

/**
 * Makes the partitions ahead, drops those that are old, and deletes old signals of the oldest one that remains. A
 * partition of a busy installation becomes old within a day and is dropped whole. So signals are deleted one by one
 * only when they are a day older than the retention: in a partition that takes longer to fill.
 */
export async function keepSignals(
  db: Database<SignalsTables>,
  leadership: Pick<Leadership, 'requireCurrent' | 'signal'>,
  retentionDays: number,
): Promise<void> {
  await makePartitions(db, leadership);
  const { signal } = leadership;
  while (!signal.aborted && (await dropOldestPartition(db, leadership, retentionDays)));
  while (!signal.aborted && (await deleteOldestSignals(db, leadership, retentionDays + 1)));
}
