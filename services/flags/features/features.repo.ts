import { changeableFeatureSchema } from '@yardarm/shared/contracts/flags';
import { type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { type NewRow, toColumn, toColumns, toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';

type Tag = { type: string; value: string };
type FeatureColumns = Selectable<FlagsTables['features']>;

/** The columns that a change of a flag writes. */
const changeableColumns = Object.keys(changeableFeatureSchema.shape).map((property) =>
  property === 'archived' ? 'archived_at' : toColumn(property),
);

/**
 * The flags by name, their rows locked until the end of the transaction: the order of a flag's events is the order of these locks. With
 * `skip`, flags that another transaction has locked are left out; flags that do not exist always are. What hangs on a flag is read by
 * later statements: one that waits for the lock sees other tables as they were before it waited.
 */
export async function lockFeatures(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
  lockedRows: 'skip' | 'wait' = 'wait',
): Promise<Map<string, StoredFeature>> {
  const { rows } = await sql<FeatureColumns>`
    select * from features where name = any(${names}::text[])
    for update ${sql.raw(lockedRows === 'skip' ? 'skip locked' : '')}`.execute(trx);
  return new Map(rows.map((row) => [row.name, toRow(row)]));
}

/** The names among these that flags of any project have, archived or not. */
export async function findFeatureNames(db: Kysely<FlagsTables>, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`
    select name from features where name = any(${names}::text[])`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Puts a new flag into every environment of its project, off, with its tags and its first stage. Null when the name is taken, by an
 * archived flag or one of another project as well; a race is decided here.
 */
export async function insertFeature(
  trx: Transaction<FlagsTables>,
  feature: NewRow<'features'>,
  tags: readonly Tag[],
): Promise<StoredFeature | null> {
  const columns = toColumns(feature);
  // On conflict of every unique index: a racer may meet (project, name) before the key, and of one left out Postgres makes an error.
  const { rows } = await sql<FeatureColumns>`
    with inserted as (
      insert into features (${sql.join(Object.keys(columns).map((column) => sql.ref(column)))})
      values (${sql.join(Object.values(columns))})
      on conflict do nothing
      returning *
    ), environments as (
      insert into feature_environments (feature_name, environment, project)
      select name, environment, project from inserted join project_environments using (project)
    ), tags as (
      insert into feature_tags (feature_name, type, value)
      select inserted.name, tag.type, tag.value
      from inserted cross join json_to_recordset(${JSON.stringify(tags)}::json) as tag (type text, value text)
    ), stage as (
      insert into feature_lifecycle (feature_name, stage) select name, 'initial' from inserted
    )
    select * from inserted`.execute(trx);
  return rows[0] ? toRow(rows[0]) : null;
}

/**
 * Writes what a change may write of the flags' own rows, with the commit. A function that returns one row stands for each flag: of one
 * that returns a set the planner expects a hundred rows, and reads the whole table.
 */
export function updateFeatures(trx: Transaction<FlagsTables>, features: readonly StoredFeature[]): void {
  const rows = features.map((feature) => JSON.stringify(toColumns(feature)));
  const values = changeableColumns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`changed.${column}`)}`);
  trx.defer(sql`
    update features set ${sql.join(values)}
    from unnest(${rows}::json[]) as feature cross join lateral json_populate_record(null::features, feature) as changed
    where features.name = changed.name`);
}

/** Enters a stage; `initial` begins a new life, of which the earlier stages are no part. */
export async function enterStage(
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

export async function hasProject(db: Kysely<FlagsTables>, project: string): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', project).executeTakeFirst();
  return row !== undefined;
}
