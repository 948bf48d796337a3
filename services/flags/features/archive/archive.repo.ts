import type { Feature } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { EnvironmentOfProject } from '../../changes/revisions.repo.ts';
import type { FlagsTables } from '../../db/schema.ts';

type Trx = Transaction<FlagsTables>;

/** The dependencies on these flags of flags that are not among them. The caller has locked the flags' rows. */
export async function findOtherChildren(
  db: Kysely<FlagsTables>,
  parents: readonly string[],
): Promise<{ parent: string; child: string }[]> {
  if (parents.length === 0) return [];
  const { rows } = await sql<{ parent: string; child: string }>`
    select parent, child from feature_dependencies
    where parent = any(${parents}::text[]) and not child = any(${parents}::text[])
    order by parent, child`.execute(db);
  return rows;
}

/** Deletes the dependencies of flags on their parents, and returns them by child. */
export async function deleteDependencyRows(
  trx: Trx,
  children: readonly string[],
): Promise<Map<string, Feature['dependencies']>> {
  if (children.length === 0) return new Map();
  const { rows } = await sql<{ child: string; dependencies: Feature['dependencies'] }>`
    with deleted as (
      delete from feature_dependencies where child = any(${children}::text[]) returning *
    )
    select child, json_agg(
      json_build_object('feature', parent, 'enabled', enabled, 'variants', variants) order by parent
    ) as dependencies
    from deleted group by child`.execute(trx);
  return new Map(rows.map(({ child, dependencies }) => [child, dependencies]));
}

/** Those of the flags of a project that depend on others or that others depend on. */
export async function findRelatedFeatures(
  db: Kysely<FlagsTables>,
  project: string,
  names: readonly string[],
): Promise<{ name: string; hasOtherChildren: boolean }[]> {
  const { rows } = await sql<{ name: string; hasOtherChildren: boolean }>`
    select f.name, exists (
      select from feature_dependencies where parent = f.name and not child = any(${names}::text[])
    ) as "hasOtherChildren"
    from features f
    where f.project = ${project} and f.name = any(${names}::text[])
      and exists (select from feature_dependencies where f.name in (parent, child))
    order by f.name`.execute(db);
  return rows;
}

/**
 * Makes the plans of this connection again. A plan that was kept since the tables were small reads them whole for each
 * of thousands of flags, which takes seconds. The deletions by foreign keys have such plans too.
 */
export function renewPlans(trx: Trx): void {
  trx.pipeline(sql`discard plans`);
}

/** What a deletion ends for each flag: its tags, and the uses of segments with their places. */
export async function findTagsAndSegments(
  trx: Trx,
  names: readonly string[],
): Promise<Map<string, { tags: Feature['tags']; places: EnvironmentOfProject[]; segments: number[] }>> {
  const { rows } = await sql<{
    name: string;
    tags: Feature['tags'];
    places: EnvironmentOfProject[];
    segments: number[];
  }>`
    select f.name, (
      select coalesce(json_agg(json_build_object('type', type, 'value', value) order by type, value), '[]')
      from feature_tags where feature_name = f.name
    ) as tags, coalesce(json_agg(distinct use.place) filter (where use.place is not null), '[]') as places,
      coalesce(json_agg(distinct use.segment_id) filter (where use.segment_id is not null), '[]') as segments
    from features f left join lateral (
      select segment_id, jsonb_build_object('environment', fe.environment, 'project', fe.project) as place
      from feature_environments fe join feature_strategies s using (feature_name, environment)
      join strategy_segments on strategy_id = s.id
      where fe.feature_name = f.name
    ) as use on true
    where f.name = any(${names}::text[])
    group by f.name`.execute(trx);
  return new Map(rows.map(({ name, ...ended }) => [name, ended]));
}

/**
 * Deletes archived flags with all that refers to them. No flag depends on an archived one. A report of usage that began
 * before the flags were archived locks the rows in this order too: last uses, then flags, each by name.
 */
export async function deleteFeatureRows(trx: Trx, names: readonly string[]): Promise<void> {
  await sql`
    select from feature_last_seen where feature_name = any(${names}::text[])
    order by feature_name, environment for update`.execute(trx);
  await sql`select from features where name = any(${names}::text[]) order by name for update`.execute(trx);
  // The foreign keys would delete these rows too, with one statement for each flag.
  const tables = ['last_seen', 'strategies', 'collaborators', 'tags', 'lifecycle'].map((noun) => `feature_${noun}`);
  for (const table of tables) {
    await sql`delete from ${sql.table(table)} where feature_name = any(${names}::text[])`.execute(trx);
  }
  await sql`delete from features where name = any(${names}::text[])`.execute(trx);
}

/** The project of a flag, archived or not. */
export async function findProjectOf(db: Kysely<FlagsTables>, name: string): Promise<string | null> {
  const row = await db.selectFrom('features').select('project').where('name', '=', name).executeTakeFirst();
  return row?.project ?? null;
}
