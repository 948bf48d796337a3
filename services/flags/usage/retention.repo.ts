import { type Database, type Leadership, type RawBuilder, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Consoles show instances and unknown flags of the last day. */
const visibleHours = 24;
/** Few enough for a statement of milliseconds. */
const batch = 1_000;

/**
 * Makes the partitions of the days to come and deletes what has become old: partitions, instances, unknown flags, which
 * applications use a flag, how many events tokens made, and applications without a description.
 */
export async function deleteOldUsage(
  db: Database<FlagsTables>,
  { requireCurrent }: Pick<Leadership, 'requireCurrent'>,
  keepDays: number,
): Promise<void> {
  await db.transaction(async (trx) => {
    await requireCurrent(trx);
    await sql`select keep_usage_partitions(${keepDays})`.execute(trx);
  });
  const isHidden = sql`seen_at < now() - make_interval(hours => ${visibleHours})`;
  const isExpired = sql`seen_at < now() - make_interval(days => ${keepDays})`;
  const isDescribed = sql`coalesce(description, url, color, icon) is not null`;
  const old: readonly [string, RawBuilder<unknown>][] = [
    ['application_instances', isHidden],
    ['unknown_flags', isHidden],
    ['application_features', isExpired],
    ['application_events', sql`day < (now() at time zone 'UTC')::date`],
    ['applications', sql`${isExpired} and not (${isDescribed})`],
  ];
  for (const [table, condition] of old) {
    let deleted = batch;
    while (deleted === batch) {
      deleted = await db.transaction(async (trx) => {
        await requireCurrent(trx);
        const { numAffectedRows } = await sql`
          delete from ${sql.table(table)}
          where ctid in (select ctid from ${sql.table(table)} where ${condition} limit ${batch})`.execute(trx);
        return Number(numAffectedRows);
      });
    }
  }
}
