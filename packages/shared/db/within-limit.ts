import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { isStatementTimeout } from './failures.ts';
import type { SharedTables } from './tables.ts';
import type { TransactionOptions } from './transaction.ts';

export interface StatementLimit {
  limitMs: number;
  /** Below the limit, so that a lock is reported as what it is: the database is not available. */
  lockLimitMs: number;
  /** The error for a statement that takes longer, with the limit in seconds. */
  tooLong(limitSeconds: number): Error;
}

/** Reads in a transaction of its own, none of whose statements takes longer than the limit. */
export async function withinLimit<T extends SharedTables, Result>(
  db: Database<T>,
  { limitMs, lockLimitMs, tooLong }: StatementLimit,
  find: (trx: Kysely<T>) => Promise<Result>,
  { isolation }: Pick<TransactionOptions, 'isolation'> = {},
): Promise<Result> {
  try {
    return await db.transaction(
      (trx) => {
        trx.pipeline(sql`
          select set_config('statement_timeout', ${String(limitMs)}, true),
            set_config('lock_timeout', ${String(lockLimitMs)}, true)`);
        return find(trx);
      },
      { readOnly: true, ...(isolation && { isolation }) },
    );
  } catch (error) {
    throw isStatementTimeout(error) ? tooLong(limitMs / 1000) : error;
  }
}
