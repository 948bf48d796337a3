import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';

const columns = [
  'name',
  'project',
  'description',
  'type',
  'stale',
  'impression_data',
  'created_at',
  'archived_at',
] as const;

type Tag = { type: string; value: string };

/**
 * The flag with its row locked until the end of the transaction: the order of its events is the order of these locks. What hangs on
 * the flag is read by later statements: one that waits for the lock sees other tables as they were before it waited.
 */
export async function lockFeature(
  trx: Transaction<FlagsTables>,
  project: string,
  name: string,
): Promise<StoredFeature | null> {
  const row = await trx
    .selectFrom('features')
    .select(columns)
    .where('name', '=', name)
    .where('project', '=', project)
    .forUpdate()
    .executeTakeFirst();
  return row ? stored(row) : null;
}

/** The same for those of several flags that nobody else has locked: it waits for nobody. Flags that are not there are left out too. */
export async function lockFreeFeatures(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
): Promise<Map<string, StoredFeature>> {
  const { rows } = await sql<FeatureRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from features
    where name = any(${names}::text[])
    for update skip locked`.execute(trx);
  return new Map(rows.map((row) => [row.name, stored(row)]));
}

/**
 * Puts a new flag into every environment of its project, off, with its tags and its first stage. Null when the name is taken, by an
 * archived flag or one of another project as well; a race is decided here.
 */
export async function insertFeature(
  trx: Transaction<FlagsTables>,
  feature: Omit<StoredFeature, 'stale' | 'createdAt' | 'archivedAt'> & {
    createdByUserId: number;
    tags: readonly Tag[];
  },
): Promise<StoredFeature | null> {
  // On conflict of every unique index: a racer may meet (project, name) before the key, and of one left out Postgres makes an error.
  const { rows } = await sql<FeatureRow>`
    with inserted as (
      insert into features (name, project, description, type, impression_data, created_by_user_id)
      values (
        ${feature.name}, ${feature.project}, ${feature.description}, ${feature.type}, ${feature.impressionData},
        ${feature.createdByUserId}
      )
      on conflict do nothing
      returning name, project, description, type, stale, impression_data, created_at, archived_at
    ), environments as (
      insert into feature_environments (feature_name, environment, project)
      select name, environment, project from inserted join project_environments using (project)
    ), tags as (
      insert into feature_tags (feature_name, type, value)
      select inserted.name, tag.type, tag.value
      from inserted cross join json_to_recordset(${JSON.stringify(feature.tags)}::json) as tag (type text, value text)
    ), stage as (
      insert into feature_lifecycle (feature_name, stage) select name, 'initial' from inserted
    )
    select * from inserted`.execute(trx);
  return rows[0] ? stored(rows[0]) : null;
}

/** Writes the flags' own rows, with the commit. */
export function updateFeatures(trx: Transaction<FlagsTables>, features: readonly StoredFeature[]): void {
  trx.atEnd(sql`
    update features set
      description = changed.description, type = changed.type, stale = changed.stale,
      impression_data = changed.impression_data, archived_at = changed.archived_at
    from unnest(
      ${features.map(({ name }) => name)}::text[], ${features.map(({ description }) => description)}::text[],
      ${features.map(({ type }) => type)}::text[], ${features.map(({ stale }) => stale)}::boolean[],
      ${features.map(({ impressionData }) => impressionData)}::boolean[],
      ${features.map(({ archivedAt }) => archivedAt)}::timestamptz[]
    ) as changed (name, description, type, stale, impression_data, archived_at)
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

interface FeatureRow {
  name: string;
  project: string;
  description: string | null;
  type: string;
  stale: boolean;
  impression_data: boolean;
  created_at: Date;
  archived_at: Date | null;
}

function stored(row: FeatureRow): StoredFeature {
  const { impression_data, created_at, archived_at, ...same } = row;
  return { ...same, impressionData: impression_data, createdAt: created_at, archivedAt: archived_at };
}
