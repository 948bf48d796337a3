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
 * Raises the revision of every environment and project of the changes by one, notes it at their flags, and keeps or drops what readers
 * must forget. A flag stands in the changes once. The offset keeps the planner, which knows nothing of how many changes there are, from
 * reading the places of all flags.
 *
 * These rows are what writers of different flags share, so they are the last locks of a transaction, taken by a statement that is sent with
 * the commit: whoever holds them waits for nobody. They are locked in the order of their key; an UPDATE alone would lock
 * in whatever order the plan finds them, and two writers would wait for each other.
 */
export function raiseRevisions(
  trx: Transaction<FlagsTables>,
  changes: readonly VisibleChange[],
  use: (raised: RaisedRevision[]) => void,
): void {
  const raising = sql<RaisedRevision>`
    with places as (
      select fe.feature_name, fe.environment, fe.project, change.is_removed
      from unnest(
        ${changes.map(({ featureName }) => featureName)}::text[], ${changes.map(({ environment }) => environment)}::text[],
        ${changes.map(({ isRemoved }) => isRemoved)}::boolean[]
      ) as change (feature_name, environment, is_removed)
      cross join lateral (
        select * from feature_environments
        where feature_name = change.feature_name and environment = coalesce(change.environment, environment)
        offset 0
      ) as fe
    ), locked as (
      select environment, project from revisions
      where (environment, project) in (select environment, project from places)
      order by environment, project
      for update
    ), raised as (
      update revisions set revision = revisions.revision + 1
      from locked
      where revisions.environment = locked.environment and revisions.project = locked.project
      returning revisions.environment, revisions.project, revisions.revision
    ), risen as (
      select * from places join raised using (environment, project)
    ), noted as (
      update feature_environments fe set revision = risen.revision
      from risen
      where fe.feature_name = risen.feature_name and fe.environment = risen.environment
    ), kept as (
      insert into removed_features (environment, project, feature_name, revision)
      select environment, project, feature_name, revision from risen where is_removed
      on conflict on constraint removed_features_pkey do update set revision = excluded.revision
    ), dropped as (
      delete from removed_features gone using risen
      where not risen.is_removed and gone.environment = risen.environment and gone.project = risen.project
        and gone.feature_name = risen.feature_name
    )
    select environment, project, revision from raised`;
  trx.defer(raising, use);
}
