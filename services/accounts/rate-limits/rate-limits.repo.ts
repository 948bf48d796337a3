import { CompiledQuery, type Kysely, sql } from '@yardarm/shared/db';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { AccountsTables } from '../db/schema.ts';
import type { RateLimit } from './rate-limit.ts';

/** A counter in Postgres. Its statement adds and reads in one, so of many at once each sees a count of its own. */
export function createCounter(db: Kysely<AccountsTables>, name: string, limit: RateLimit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: {
      // The one method that the library calls of a client; this way its statements share the service's pool and its errors.
      async query({ text, values }: { text: string; values: unknown[] }) {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, values));
        return { rows, rowCount: rows.length };
      },
    },
    storeType: 'client',
    tableName: 'rate_limits',
    // By a migration.
    tableCreated: true,
    // By deleteExpiredCounts: the library's own timer could not be stopped.
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points: limit.points,
    duration: limit.seconds,
  });
}

/** Deletes what no longer counts. */
export async function deleteExpiredCounts(db: Kysely<AccountsTables>): Promise<void> {
  // By this process's clock, as the library writes it. A row that is being counted on is not waited for.
  await sql`
    delete from rate_limits where key in (
      select key from rate_limits where expire < ${Date.now()} for update skip locked
    )`.execute(db);
}
