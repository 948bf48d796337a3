import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';

type Tag = { type: string; value: string };

/** The flag with its row locked until the end of the transaction: the order of its events is the order of these locks. */
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

/** Null when the name is taken, by an archived flag or one of another project as well; a race is decided here. */
export async function insertFeature(
  trx: Transaction<FlagsTables>,
  feature: Omit<StoredFeature, 'stale' | 'createdAt' | 'archivedAt'> & { createdByUserId: number },
): Promise<StoredFeature | null> {
  const row = await trx
    .insertInto('features')
    .values({
      name: feature.name,
      project: feature.project,
      description: feature.description,
      type: feature.type,
      impression_data: feature.impressionData,
      created_by_user_id: feature.createdByUserId,
    })
    // Of every unique index: a racer may meet (project, name) before the key, and of one left out here Postgres makes an error.
    .onConflict((conflict) => conflict.doNothing())
    .returning(['name', 'project', 'description', 'type', 'stale', 'impression_data', 'created_at', 'archived_at'])
    .executeTakeFirst();
  return row ? stored(row) : null;
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

/** Puts a flag into every environment of its project, off. */
export async function insertFeatureEnvironments(
  db: Kysely<FlagsTables>,
  feature: { name: string; project: string },
): Promise<string[]> {
  const { rows } = await sql<{ environment: string }>`
    insert into feature_environments (feature_name, environment, project)
    select ${feature.name}, environment, project from project_environments where project = ${feature.project}
    returning environment`.execute(db);
  return rows.map(({ environment }) => environment);
}

export async function insertTags(db: Kysely<FlagsTables>, featureName: string, tags: readonly Tag[]): Promise<void> {
  if (tags.length === 0) return;
  await db
    .insertInto('feature_tags')
    .values(tags.map(({ type, value }) => ({ feature_name: featureName, type, value })))
    .execute();
}

export async function tagsOf(db: Kysely<FlagsTables>, featureName: string): Promise<Tag[]> {
  return await db
    .selectFrom('feature_tags')
    .select(['type', 'value'])
    .where('feature_name', '=', featureName)
    .orderBy('type')
    .orderBy('value')
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

export async function noteCollaborator(db: Kysely<FlagsTables>, featureName: string, userId: number): Promise<void> {
  await sql`
    insert into feature_collaborators (feature_name, user_id) values (${featureName}, ${userId})
    on conflict on constraint feature_collaborators_pkey do update set changed_at = excluded.changed_at`.execute(db);
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
