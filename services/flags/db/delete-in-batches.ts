import type { Database, Leadership, Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from './schema.ts';

/** Few enough for a statement of milliseconds. */
const batch = 1_000;

/**
 * Calls `deleteRows`, in a transaction of the leader each, until it deletes fewer rows than its limit or the leadership
 * ends. `deleteRows` returns how many rows it has deleted.
 */
export async function deleteInBatches(
  db: Database<FlagsTables>,
  { requireCurrent, signal }: Pick<Leadership, 'requireCurrent' | 'signal'>,
  deleteRows: (trx: Transaction<FlagsTables>, limit: number) => Promise<number>,
): Promise<void> {
  for (let deleted = batch; deleted === batch && !signal.aborted; ) {
    deleted = await db.transaction(async (trx) => {
      await requireCurrent(trx);
      return deleteRows(trx, batch);
    });
  }
}
