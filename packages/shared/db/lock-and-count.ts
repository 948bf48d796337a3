import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './transaction.ts';

/**
 * Counts rows, such as those of sql`banners`. Until the transaction ends, other callers with the name of the lock wait,
 * so that racing creations do not exceed a limit together.
 */
export async function lockAndCount<T>(
  trx: Transaction<T>,
  lock: string,
  countedRows: RawBuilder<unknown>,
): Promise<number> {
  const [, rows] = await trx.batch(
    sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`,
    // A statement of its own: it sees what was committed before the lock was free.
    sql<{ count: number }>`select count(*)::integer as count from ${countedRows}`,
  );
  return rows[0]!.count;
}
