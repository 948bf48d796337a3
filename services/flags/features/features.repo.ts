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
import { AppError } from '@yardarm/shared/errors';
import { toColumn, toColumns, toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';
import { tagKey } from './tags/tag.ts';

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

export type NewFeature = Pick<
  StoredFeature,
  'name' | 'project' | 'type' | 'description' | 'stale' | 'impressionData' | 'createdByUserId'
>;

/** Another transaction inserts or deletes a flag or a tag of this name. */
export class NameLocked extends Error {}

/**
 * How long a group of creations waits for names that another transaction inserts or deletes: about as long as a commit
 * takes. The other requests of the group wait too.
 */
const maxNameWaitMs = 10;

/**
 * Inserts flags with their tags and first stages, off in every environment of their projects. The types of the tags
 * exist. Returns them by name, each with those of its tags that are new, once over all flags. Flags whose name a flag
 * of any project has, archived or not, are missing from the result. The unique indexes decide races. With `skip` it
 * throws `NameLocked` instead of waiting.
 */
export async function insertFeatures(
  trx: Transaction<FlagsTables>,
  created: readonly { feature: NewFeature; tags: readonly Tag[] }[],
  lockedRows: 'skip' | 'wait' = 'wait',
): Promise<Map<string, { feature: StoredFeature; newTags: Tag[] }>> {
  if (created.length === 0) return new Map();
  const features = created.map(({ feature, tags }) => JSON.stringify({ ...toColumns(feature), version: 1, tags }));
  const columns = sql.raw('name, project, type, description, stale, impression_data, created_by_user_id, version');
  if (lockedRows === 'skip') limitLockWaits(trx, maxNameWaitMs);
  // Two writers insert in the same order. `on conflict` without a target covers every unique index. A race may violate
  // (project, name) first.
  const statement = prepared('insert-features')<FeatureColumns & { newTags: Tag[] }>`
    with given as (
      select new.*, feature->'tags' as tags
      from unnest(${features}::json[]) as feature cross join lateral json_populate_record(null::features, feature) as new
    ), inserted as (
      insert into features (${columns}) select ${columns} from given order by name
      on conflict do nothing
      returning *
    ), environments as (
      insert into feature_environments (feature_name, environment, project)
      select name, environment, project from inserted join project_environments using (project)
    ), tag as (
      select inserted.name as feature_name, tag.type, tag.value
      from inserted join given using (name)
        cross join lateral json_to_recordset(given.tags) as tag (type text, value text)
    ), new_tags as (
      insert into tags (type, value)
      select distinct type collate "C", value collate "C" from tag order by 1, 2
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
    from inserted`;
  const { rows } = await statement.execute(trx).catch((error: unknown) => {
    throw lockedRows === 'skip' && isLockTimeout(error) ? new NameLocked() : error;
  });
  if (lockedRows === 'skip') limitLockWaits(trx, lockTimeoutMs);
  const inserted = new Map(rows.map(({ newTags, ...row }) => [row.name, toRow(row)]));
  let unclaimed = rows[0]?.newTags ?? [];
  return new Map(
    created.flatMap(({ feature: { name }, tags }) => {
      const feature = inserted.get(name);
      if (!feature) return [];
      const own = new Set(tags.map(tagKey));
      const { newTags = [], others = [] } = Object.groupBy(unclaimed, (tag) =>
        own.has(tagKey(tag)) ? 'newTags' : 'others',
      );
      unclaimed = others;
      return [[name, { feature, newTags }]];
    }),
  );
}

/** Whether a statement waited for a lock for too long. The pool has translated the error. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof AppError && (error.cause as { code?: unknown } | undefined)?.code === '55P03';
}

/**
 * Updates the rows of flags and raises their versions, without waiting for the result. One statement does both: for the
 * second update of a row in a transaction Postgres checks the foreign keys again. Other work runs between two
 * statements. A function that returns one row is called for each flag. For a function that returns a set the planner
 * would expect a hundred rows, and would read the whole table.
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
