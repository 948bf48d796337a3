import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Where SDKs see a flag differently once the transaction has committed. */
export interface VisibleChange {
  featureName: string;
  /** Null for every environment that the flag is in. */
  environment: string | null;
  /** The flag is no longer there for SDKs. */
  isRemoved: boolean;
}

export interface RaisedRevision {
  environment: string;
  project: string;
  revision: number;
}

/**
 * Raises the revision of every environment of the change by one, notes it at the flag, and keeps or drops what readers must forget.
 *
 * These rows are what writers of different flags share, so they are the last locks of a transaction: whoever holds them waits
 * for nobody, and for no further statement but the commit. They are locked in the order of their key; an UPDATE alone would lock
 * in whatever order the plan finds them, and two writers would wait for each other.
 */
export async function raiseRevisions(
  trx: Transaction<FlagsTables>,
  { featureName, environment, isRemoved }: VisibleChange,
): Promise<RaisedRevision[]> {
  const { rows } = await sql<RaisedRevision>`
    with locked as (
      select r.environment, r.project
      from feature_environments fe join revisions r on r.environment = fe.environment and r.project = fe.project
      where fe.feature_name = ${featureName} and fe.environment = coalesce(${environment}, fe.environment)
      order by r.environment, r.project
      for update of r
    ), raised as (
      update revisions set revision = revisions.revision + 1
      from locked
      where revisions.environment = locked.environment and revisions.project = locked.project
      returning revisions.environment, revisions.project, revisions.revision
    ), noted as (
      update feature_environments set revision = raised.revision
      from raised
      where feature_name = ${featureName} and feature_environments.environment = raised.environment
    ), kept as (
      insert into removed_features (environment, project, feature_name, revision)
      select environment, project, ${featureName}, revision from raised where ${isRemoved}
      on conflict on constraint removed_features_pkey do update set revision = excluded.revision
    ), dropped as (
      delete from removed_features using raised
      where not ${isRemoved} and removed_features.environment = raised.environment
        and removed_features.project = raised.project and feature_name = ${featureName}
    )
    select environment, project, revision from raised`.execute(trx);
  return rows;
}
