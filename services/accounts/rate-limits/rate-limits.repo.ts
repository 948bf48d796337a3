import { CompiledQuery, type Kysely, sql } from '@yardarm/shared/db';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { AccountsTables } from '../db/schema.ts';
import type { RateLimit } from './rate-limit.ts';

/** Creates a counter in Postgres. One statement adds and reads, so that concurrent attempts see different counts. */
export function createCounter(db: Kysely<AccountsTables>, name: string, limit: RateLimit): RateLimiterPostgres {
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
    points: limit.points,
    duration: limit.seconds,
  });
}

export async function deleteExpiredCounts(db: Kysely<AccountsTables>): Promise<void> {
  // The library writes `expire` by this process's clock. Rows that are being updated are skipped.
  await sql`
    delete from rate_limits where key in (
      select key from rate_limits where expire < ${Date.now()} for update skip locked
    )`.execute(db);
}
