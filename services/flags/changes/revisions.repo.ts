import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Where SDKs see a flag differently once the transaction has committed. */
export interface VisibleChange {
  project: string;
  featureName: string;
  environments: readonly string[];
  /** The flag is no longer there for SDKs. */
  isRemoved: boolean;
}

export interface RaisedRevision {
  environment: string;
  project: string;
  revision: number;
}

/**
 * Raises the revision of every environment of the change by one and notes it at the flag.
 *
 * These rows are what writers of different flags share, so they are the last locks of a transaction: whoever holds them waits
 * for nobody. They are locked in the order of their key by the one statement that raises them; an UPDATE alone would lock in
 * whatever order the plan finds them, and two writers would wait for each other.
 */
export async function raiseRevisions(
  trx: Transaction<FlagsTables>,
  { project, featureName, environments, isRemoved }: VisibleChange,
): Promise<RaisedRevision[]> {
  const { rows: raised } = await sql<RaisedRevision>`
    with locked as (
      select environment, project from revisions
      where project = ${project} and environment = any(${environments as string[]})
      order by environment, project
      for update
    )
    update revisions set revision = revisions.revision + 1
    from locked
    where revisions.environment = locked.environment and revisions.project = locked.project
    returning revisions.environment, revisions.project, revisions.revision`.execute(trx);
  const places = JSON.stringify(raised);
  await sql`
    update feature_environments set revision = raised.revision
    from json_to_recordset(${places}::json) as raised (environment text, revision bigint)
    where feature_name = ${featureName} and feature_environments.environment = raised.environment`.execute(trx);
  if (isRemoved) await remember(trx, featureName, places);
  else await forget(trx, project, featureName);
  return raised;
}

async function remember(db: Kysely<FlagsTables>, featureName: string, places: string): Promise<void> {
  await sql`
    insert into removed_features (environment, project, feature_name, revision)
    select environment, project, ${featureName}, revision
    from json_to_recordset(${places}::json) as raised (environment text, project text, revision bigint)
    on conflict on constraint removed_features_pkey do update set revision = excluded.revision`.execute(db);
}

async function forget(db: Kysely<FlagsTables>, project: string, featureName: string): Promise<void> {
  await sql`delete from removed_features where project = ${project} and feature_name = ${featureName}`.execute(db);
}
