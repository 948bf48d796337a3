import { CompiledQuery, type Kysely, sql } from '@yardarm/shared/db';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { AccountsTables } from '../db/schema.ts';
import { loginName } from '../passwords/passwords.repo.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * The key of an account for counting: the login name, whether it exists or not. Postgres computes it, because the names
 * that it folds into one login name must share one counter, and JavaScript folds some of them differently (İ, Σ). A
 * count per user would reveal which names exist and which username and e-mail belong together. A user with both names
 * may therefore be guessed at twice as often. The key is hashed, since people type passwords into the wrong field.
 */
export async function findAccountKey(db: Kysely<AccountsTables>, name: string): Promise<string> {
  const { rows } = await sql<{ key: string }>`
    select encode(sha256(convert_to(${loginName(name)}, 'UTF8')), 'hex') as key`.execute(db);
  return rows[0]!.key;
}

interface CounterOptions {
  /**
   * Whether a process refuses a key that is above the limit from memory, until the count ends: a flood of one address
   * then costs no statement. For counts that are never taken back, since other replicas would not learn of it.
   */
  remembersRefused?: boolean;
}

/** Creates a counter in Postgres. One statement adds and reads, so that concurrent attempts see different counts. */
export function createCounter(
  db: Kysely<AccountsTables>,
  name: string,
  { points, seconds }: RateLimit,
  { remembersRefused = false }: CounterOptions = {},
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: {
      // The only client method that the library calls: its statements share the pool and errors of the service.
      async query({ text, values }: { text: string; values: unknown[] }) {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, values));
        return { rows, rowCount: rows.length };
      },
    },
    storeType: 'client',
    tableName: 'rate_limits',
    // A migration creates the table.
    tableCreated: true,
    // deleteExpiredCounts deletes expired rows: the library's own timer could not be stopped.
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: seconds,
    ...(remembersRefused && { inMemoryBlockOnConsumed: points + 1 }),
  });
}

export async function deleteExpiredCounts(db: Kysely<AccountsTables>): Promise<void> {
  // The library writes `expire` by this process's clock. Rows that are being updated are skipped.
  await sql`
    delete from rate_limits where key in (
      select key from rate_limits where expire < ${Date.now()} for update skip locked
    )`.execute(db);
}
