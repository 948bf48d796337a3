import { type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { type LimitedNoun, type Limits, limitExceeded } from './limits.ts';

/** The rows that count. Archived flags and projects do not. */
const counted: Record<LimitedNoun, RawBuilder<unknown>> = {
  features: sql`features where archived_at is null`,
  segments: sql`segments`,
  projects: sql`projects where archived_at is null`,
  environments: sql`environments`,
};

/**
 * Throws `limit-exceeded` if the installation has more than the limit. Call it after the rows are inserted or revived.
 * It locks the noun until the commit, so that concurrent writers cannot exceed the limit together. The lock comes after
 * the locks of rows and before the revisions.
 */
export async function requireWithinLimit(
  trx: Transaction<FlagsTables>,
  noun: LimitedNoun,
  limits: Limits,
): Promise<void> {
  const [, rows] = await trx.batch(
    sql`select pg_advisory_xact_lock(hashtext(${`limit of ${noun}`}))`,
    // A statement of its own: it sees what was committed before the lock was free.
    sql<{ count: number }>`select count(*)::integer as count from ${counted[noun]}`,
  );
  if (rows[0]!.count > limits[noun]) throw limitExceeded(noun, limits[noun]);
}
