import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/**
 * Whether a flag `f` of the type `t` is potentially stale. It depends on nothing but the flag's age in days of 24
 * hours, the lifetime of its type, and the manual mark. A stale flag is not also potentially stale.
 */
export const isPotentiallyStale = sql<boolean>`coalesce(
  f.archived_at is null and not f.stale and t.lifetime_days > 0
    and now() - f.created_at >= make_interval(days => t.lifetime_days),
  false
)`;

/** Flags whose event was emitted and that are not potentially stale any more, or the reverse. */
const isDue = sql<boolean>`(f.potentially_stale_since is not null) <> ${isPotentiallyStale}`;

export async function findDueNames(db: Kysely<FlagsTables>, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select f.name from features f join feature_types t on t.id = f.type
    where ${isDue} order by f.name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Updates those of the flags that are still due. The caller has locked their rows. By name. */
export async function updatePotentiallyStale(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
): Promise<{ name: string; project: string; isPotentiallyStale: boolean }[]> {
  const { rows } = await sql<{ name: string; project: string; isPotentiallyStale: boolean }>`
    with updated as (
      update features f set potentially_stale_since = case when ${isPotentiallyStale} then now() end
      from feature_types t
      where t.id = f.type and f.name = any(${names}::text[]) and ${isDue}
      returning f.name, f.project, f.potentially_stale_since is not null as "isPotentiallyStale"
    )
    select * from updated order by name`.execute(trx);
  return rows;
}
