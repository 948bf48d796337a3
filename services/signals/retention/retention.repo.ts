import { type Database, type Leadership, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';

type Fence = Pick<Leadership, 'requireCurrent'>;

/** Few enough for a statement of milliseconds. */
const batch = 1_000;

/** Makes the partitions of the signals to come. */
export async function makePartitions(db: Database<SignalsTables>, { requireCurrent }: Fence): Promise<void> {
  await db.transaction(async (trx) => {
    await requireCurrent(trx);
    await sql`select make_signal_partitions()`.execute(trx);
  });
}

/** Drops the oldest partition if all of its signals are older than the retention. Returns whether it did. */
export function dropOldestPartition(
  db: Database<SignalsTables>,
  { requireCurrent }: Fence,
  keepDays: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    await requireCurrent(trx);
    const { rows } = await sql<{ is_dropped: boolean }>`
      select drop_oldest_signal_partition(${keepDays}) as is_dropped`.execute(trx);
    return rows[0]!.is_dropped;
  });
}

/**
 * Deletes the oldest signals that were stored more than `keepDays` ago, up to the first batch that has none. Returns
 * whether there may be more.
 */
export function deleteOldestSignals(
  db: Database<SignalsTables>,
  { requireCurrent }: Fence,
  keepDays: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    await requireCurrent(trx);
    const { numAffectedRows = 0n } = await sql`
      with oldest as (select id, stored_at from signals order by id limit ${batch})
      delete from signals where id = any(array(
        select id from oldest where stored_at < now() - make_interval(days => ${keepDays})))`.execute(trx);
    return numAffectedRows > 0n;
  });
}
