import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';

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
    .select(['name', 'project', 'description', 'type', 'stale', 'impression_data', 'created_at', 'archived_at'])
    .where('name', '=', name)
    .where('project', '=', project)
    .forUpdate()
    .executeTakeFirst();
  return row ? stored(row) : null;
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

export async function updateFeature(trx: Transaction<FlagsTables>, feature: StoredFeature): Promise<void> {
  await trx
    .updateTable('features')
    .set({
      description: feature.description,
      type: feature.type,
      stale: feature.stale,
      impression_data: feature.impressionData,
      archived_at: feature.archivedAt,
    })
    .where('name', '=', feature.name)
    .execute();
}

/** Enters a stage; `initial` begins a new life, of which the earlier stages are no part. */
export async function enterStage(
  db: Kysely<FlagsTables>,
  featureName: string,
  stage: 'initial' | 'archived',
): Promise<void> {
  if (stage === 'initial') await db.deleteFrom('feature_lifecycle').where('feature_name', '=', featureName).execute();
  await db.insertInto('feature_lifecycle').values({ feature_name: featureName, stage }).execute();
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
