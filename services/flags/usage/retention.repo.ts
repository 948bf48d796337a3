import { type Database, type Leadership, type RawBuilder, sql } from '@yardarm/shared/db';
import { deleteInBatches } from '../db/delete-in-batches.ts';
import type { FlagsTables } from '../db/schema.ts';

/** Consoles show instances and unknown flags of the last day. */
const visibleHours = 24;
/**
 * Makes the partitions of the days to come and deletes what has become old: partitions, instances, unknown flags, which
 * applications use a flag, what tokens made in a day, and applications without a description.
 */
export async function deleteOldUsage(
  db: Database<FlagsTables>,
  leadership: Pick<Leadership, 'requireCurrent' | 'signal'>,
  keepDays: number,
): Promise<void> {
  await db.transaction(async (trx) => {
    await leadership.requireCurrent(trx);
    await sql`select keep_usage_partitions(${keepDays})`.execute(trx);
  });
  const isHidden = sql`seen_at < now() - make_interval(hours => ${visibleHours})`;
  const isExpired = sql`seen_at < now() - make_interval(days => ${keepDays})`;
  const isDescribed = sql`coalesce(description, url, color, icon) is not null`;
  const isOfEarlierDay = sql`day < (now() at time zone 'UTC')::date`;
  const old: readonly [string, RawBuilder<unknown>][] = [
    ['application_instances', isHidden],
    ['unknown_flags', isHidden],
    ['application_features', isExpired],
    ['application_events', isOfEarlierDay],
    ['usage_entries', isOfEarlierDay],
    ['applications', sql`${isExpired} and not (${isDescribed})`],
  ];
  for (const [table, condition] of old) {
    await deleteInBatches(db, leadership, async (trx, limit) => {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)}
        where ctid in (select ctid from ${sql.table(table)} where ${condition} limit ${limit})`.execute(trx);
      return Number(numAffectedRows);
    });
  }
}
