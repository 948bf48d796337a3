import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { pieceLimits, piecesOf } from '@yardarm/shared/bus';
import { changeableFeatureSchema } from '@yardarm/shared/contracts/flags';
import {
  hidden,
  type Kysely,
  lockTimeoutMs,
  prepared,
  type Selectable,
  sql,
  type Transaction,
} from '@yardarm/shared/db';
import { type NewRow, toColumn, toColumns, toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';

type Tag = { type: string; value: string };
type FeatureColumns = Selectable<FlagsTables['features']>;

/** The columns that a copy of a flag has too, by property. */
export const copiedColumns: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(changeableFeatureSchema.shape)
    .filter((property) => property !== 'archived')
    .map((property) => [property, toColumn(property)]),
);

const changeableColumns = Object.keys(changeableFeatureSchema.shape).map((property) =>
  property === 'archived' ? 'archived_at' : toColumn(property),
);

/**
 * Locks the rows of flags in the order of their names and returns them by name. The order of these locks is the order
 * of a flag's events. Flags that do not exist are missing from the result; with `skip`, so are flags that another
 * transaction has locked. Later statements read the other tables of a flag, because a statement that waits for a lock
 * sees those tables as they were before it waited. The lock does not block inserts that refer to the flag, such as
 * reports of usage.
 */
export async function lockFeatures(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
  lockedRows: 'skip' | 'wait' = 'wait',
): Promise<Map<string, StoredFeature>> {
  const [name, wait] = lockedRows === 'wait' ? ['lock-features', ''] : ['lock-free-features', 'skip locked'];
  const { rows } = await prepared(name)<FeatureColumns>`
    select * from features where name = any(${hidden(sql`${names}::text[]`)}::text[])
    order by name
    for no key update ${sql.raw(wait)}`.execute(trx);
  return new Map(rows.map((row) => [row.name, toRow(row)]));
}

/**
 * Locks the flags of projects in the order of their names, archived ones included. The caller has locked the rows of
 * the projects for update, so that no flag is added.
 */
export async function lockFeaturesOfProjects(
  trx: Transaction<FlagsTables>,
  projects: readonly string[],
): Promise<StoredFeature[]> {
  const { rows } = await sql<FeatureColumns>`
    select * from features where project = any(${projects}::text[]) order by name for no key update`.execute(trx);
  return rows.map((row) => toRow(row));
}

/** No later statement of the transaction waits longer for a lock, nor longer than the limit of every connection. */
export function limitLockWaits(trx: Transaction<FlagsTables>, maxMs: number): void {
  // 0 would be no limit.
  const limit = `${Math.max(1, Math.min(maxMs, lockTimeoutMs))}ms`;
  trx.pipeline(prepared('limit-lock-waits')`select set_config('lock_timeout', ${limit}, true)`);
}

/** Those of the names that a flag of any project has, archived or not. */
export async function findFeatureNames(db: Kysely<FlagsTables>, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await prepared('find-feature-names')<{ name: string }>`
    select name from features where name = any(${names}::text[])`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Inserts a flag with its tags and first stage, off in every environment of its project. The types of the tags exist.
 * Also returns the tags that are new. Null when a flag of any project has the name, archived or not. The unique indexes
 * decide races.
 */
export async function insertFeature(
  trx: Transaction<FlagsTables>,
  feature: NewRow<'features'>,
  tags: readonly Tag[],
): Promise<{ feature: StoredFeature; newTags: Tag[] } | null> {
  const columns = toColumns(feature);
  // `on conflict` without a target covers every unique index. A race may violate (project, name) first.
  const { rows } = await sql<FeatureColumns & { newTags: Tag[] }>`
    with inserted as (
      insert into features (${sql.join(Object.keys(columns).map((column) => sql.ref(column)))})
      values (${sql.join(Object.values(columns))})
      on conflict do nothing
      returning *
    ), environments as (
      insert into feature_environments (feature_name, environment, project)
      select name, environment, project from inserted join project_environments using (project)
    ), tag as (
      select inserted.name as feature_name, tag.type, tag.value
      from inserted cross join json_to_recordset(${JSON.stringify(tags)}::json) as tag (type text, value text)
    ), new_tags as (
      insert into tags (type, value) select type, value from tag order by type, value
      on conflict on constraint tags_pkey do nothing
      returning type, value
    ), feature_tags as (
      insert into feature_tags (feature_name, type, value) select feature_name, type, value from tag
    ), stage as (
      insert into feature_lifecycle (feature_name, stage) select name, 'initial' from inserted
    )
    select inserted.*, (
      select coalesce(json_agg(json_build_object('type', type, 'value', value) order by type, value), '[]') from new_tags
    ) as "newTags"
    from inserted`.execute(trx);
  if (!rows[0]) return null;
  const { newTags, ...inserted } = rows[0];
  return { feature: toRow(inserted), newTags };
}

/**
 * Updates the rows of flags and raises their versions, without waiting for the result. One statement does both: for the
 * second update of a row in a transaction Postgres checks the foreign keys again. Other work runs between two
 * statements. A function that returns one row is called for each flag. For a function that returns a set the planner would expect a hundred rows,
 * and would read the whole table.
 */
export async function updateFeatures(trx: Transaction<FlagsTables>, features: readonly StoredFeature[]): Promise<void> {
  const texts = features.values().map((feature) => JSON.stringify(toColumns(feature)));
  const values = changeableColumns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`changed.${column}`)}`);
  let isFirst = true;
  for (const rows of piecesOf(texts, pieceLimits, Buffer.byteLength)) {
    if (!isFirst) await yieldToEventLoop();
    isFirst = false;
    trx.pipeline(
      prepared('update-features')`
    update features set ${sql.join(values)}, version = features.version + 1
    from unnest(${rows}::json[]) as feature cross join lateral json_populate_record(null::features, feature) as changed
    where features.name = changed.name`,
    );
  }
}

/** Inserts a stage of flags. `initial` begins a new lifecycle and deletes the stages of the earlier one. */
export async function insertStage(
  db: Kysely<FlagsTables>,
  featureNames: readonly string[],
  stage: 'initial' | 'archived',
): Promise<void> {
  if (featureNames.length === 0) return;
  if (stage === 'initial') {
    await sql`delete from feature_lifecycle where feature_name = any(${featureNames}::text[])`.execute(db);
  }
  await sql`
    insert into feature_lifecycle (feature_name, stage) select unnest(${featureNames}::text[]), ${stage}`.execute(db);
}
