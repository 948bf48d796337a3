import { lockAndCount, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
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
  const count = await lockAndCount(trx, `yardarm flags: limit of ${noun}`, counted[noun]);
  if (count > limits[noun]) throw limitExceeded(noun, limits[noun]);
}
