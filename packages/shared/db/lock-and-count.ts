import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './transaction.ts';

/**
 * Evaluates a number, such as a sum over a table. Until the transaction ends, other callers with the name of the lock
 * wait, so that racing writers do not exceed a limit together.
 */
export async function lockAndMeasure<T>(
  trx: Transaction<T>,
  lock: string,
  measured: RawBuilder<number>,
): Promise<number> {
  const [, rows] = await trx.batch(
    sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`,
    // A statement of its own: it sees what was committed before the lock was free.
    sql<{ measured: number }>`select ${measured} as measured`,
  );
  return rows[0]!.measured;
}

/** The same for the number of rows, such as those of sql`banners`. */
export function lockAndCount<T>(trx: Transaction<T>, lock: string, countedRows: RawBuilder<unknown>): Promise<number> {
  return lockAndMeasure(trx, lock, sql`(select count(*)::integer from ${countedRows})`);
}
