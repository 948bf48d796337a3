import { lockAndCount, lockAndMeasure, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import {
  type ArchivedNoun,
  archivedLimitExceeded,
  type LimitedNoun,
  type Limits,
  limitExceeded,
  limitWithArchived,
} from './limits.ts';

/** The rows that count. Archived flags and projects do not. */
const counted: Record<LimitedNoun, RawBuilder<unknown>> = {
  features: sql`features where archived_at is null`,
  segments: sql`segments`,
  projects: sql`projects where archived_at is null`,
  environments: sql`environments`,
};

const lockOf = (noun: LimitedNoun) => `yardarm flags: limit of ${noun}`;

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
  const count = await lockAndCount(trx, lockOf(noun), counted[noun]);
  if (count > limits[noun]) throw limitExceeded(noun, limits[noun]);
}

/**
 * The same after rows are inserted, which also count with the archived ones. A revival makes no row, so it needs only
 * room among those that are not archived, also in an installation that has too many archived ones.
 */
export async function requireRoomForNew(
  trx: Transaction<FlagsTables>,
  noun: ArchivedNoun,
  limits: Limits,
): Promise<void> {
  const most = limitWithArchived(noun, limits);
  // In one statement, since all creations wait for the lock.
  const exceeded = sql<number>`(case
    when (select count(*) from ${counted[noun]}) > ${limits[noun]}::integer then 1
    when (select count(*) from ${sql.table(noun)}) > ${most}::integer then 2
    else 0
  end)`;
  const which = await lockAndMeasure(trx, lockOf(noun), exceeded);
  if (which === 1) throw limitExceeded(noun, limits[noun]);
  if (which === 2) throw archivedLimitExceeded(noun, most);
}
