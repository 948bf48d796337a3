import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { FlagsTables } from '../db/schema.ts';
import { deleteOldUsage } from './retention.repo.ts';

/** Retention counts days, and partitions are made a week ahead. */
const everyMs = 3_600_000;

/**
 * The job that keeps the partitions of usage, in one replica at a time. The states of a partition:
 *
 *   ahead    It was made up to a week before its day, so that reports are stored while no replica leads.
 *   current  Reports add to it, for as long as their senders have to repeat them.
 *   old      Its day ended more than `usageRetentionDays` ago. The next round drops it with its rows.
 */
export function startUsageRetention({
  db,
  log,
  usageRetentionDays,
}: {
  db: Database<FlagsTables>;
  log: Logger;
  usageRetentionDays: number;
}): Leader {
  return startPeriodicJob({ db, log, name: 'usage-retention', everyMs }, (leadership) =>
    deleteOldUsage(db, leadership, usageRetentionDays),
  );
}
