import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { Dependency, Family } from './dependency.ts';

/** A row of `feature_dependencies d` as in the admin view. */
export const dependencyJson = sql`json_build_object('feature', d.parent, 'enabled', d.enabled, 'variants', d.variants)`;

/** What the flag that a column names depends on, by parent. */
export function dependenciesOf(child: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_agg(${dependencyJson} order by d.parent), '[]')
    from feature_dependencies d where d.child = ${child}
  )`;
}

/** The caller has locked the rows of all these flags, which every writer of a dependency of theirs locks. */
export async function findFamily(
  trx: Transaction<FlagsTables>,
  child: string,
  parents: readonly string[],
): Promise<Family> {
  const { rows } = await sql<Family>`
    select
      ${dependenciesOf(sql`${child}`)} as parents,
      exists (select from feature_dependencies where parent = ${child}) as "childIsParent",
      array(
        select distinct child from feature_dependencies where child = any(${parents}::text[]) order by child
      ) as "parentsWithParents"`.execute(trx);
  return rows[0]!;
}

/** Inserts the dependency, or replaces the one on the same parent. */
export async function insertDependency(
  trx: Transaction<FlagsTables>,
  child: string,
  { feature, enabled, variants }: Dependency,
): Promise<void> {
  await sql`
    insert into feature_dependencies (child, parent, enabled, variants)
    values (${child}, ${feature}, ${enabled}, ${JSON.stringify(variants)})
    on conflict on constraint feature_dependencies_pkey do update
      set enabled = excluded.enabled, variants = excluded.variants`.execute(trx);
}

/** Deletes the dependency on a parent, or all of them. Returns the deleted ones by parent. */
export async function deleteDependencyRows(
  trx: Transaction<FlagsTables>,
  child: string,
  parent: string | null,
): Promise<Dependency[]> {
  const { rows } = await sql<Dependency>`
    with deleted as (
      delete from feature_dependencies where child = ${child} and parent = coalesce(${parent}, parent)
      returning parent as feature, enabled, variants
    )
    select * from deleted order by feature`.execute(trx);
  return rows;
}

/** The live flags of the project that depend on none. None when the child is a parent itself. */
export async function listParentNames(db: Kysely<FlagsTables>, project: string, child: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features
    where project = ${project} and archived_at is null and name <> ${child}
      and not exists (select from feature_dependencies where child = features.name)
      and not exists (select from feature_dependencies where parent = ${child})
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** The names of the variants of a flag and of its strategies, in any environment. */
export async function listVariantNames(db: Kysely<FlagsTables>, project: string, name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct variant ->> 'name' as name
    from (
      select variants from feature_environments where project = ${project} and feature_name = ${name}
      union all
      select s.variants from feature_strategies s join features f on f.name = s.feature_name
      where f.project = ${project} and f.name = ${name}
    ) as lists cross join lateral json_array_elements(variants) as variant
    order by name`.execute(db);
  return rows.map((row) => row.name);
}

export async function hasDependencies(db: Kysely<FlagsTables>, project: string): Promise<boolean> {
  const { rows } = await sql<{ exist: boolean }>`
    select exists (
      select from feature_dependencies d join features f on f.name = d.child where f.project = ${project}
    ) as exist`.execute(db);
  return rows[0]!.exist;
}
