import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** An environment in which SDKs see a flag differently after the commit. */
export interface VisibleChange {
  featureName: string;
  /** Null for every environment that the flag is in. */
  environment: string | null;
  isRemoved: boolean;
}

export interface RaisedRevision {
  environment: string;
  project: string;
  revision: number;
}

/**
 * Raises the revision of every changed environment and project by one, stores it with the flags, and inserts or deletes
 * what readers must forget. A flag occurs in the changes once. The planner does not know the number of changes. The
 * offset keeps it from reading the environments of all flags.
 *
 * Writers of different flags share these rows. So they are the last locks of a transaction, and their statement is sent
 * with the commit: their holder waits for no other lock. The statement locks them in the order of their key. An UPDATE
 * alone would lock them in the order of its plan, and two writers could deadlock.
 */
export function raiseRevisions(
  trx: Transaction<FlagsTables>,
  changes: readonly VisibleChange[],
  onRaised: (raised: RaisedRevision[]) => void,
): void {
  const statement = sql<RaisedRevision>`
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
    ), changed as (
      select * from places join raised using (environment, project)
    ), updated as (
      update feature_environments fe set revision = changed.revision
      from changed
      where fe.feature_name = changed.feature_name and fe.environment = changed.environment
    ), inserted as (
      insert into removed_features (environment, project, feature_name, revision)
      select environment, project, feature_name, revision from changed where is_removed
      on conflict on constraint removed_features_pkey do update set revision = excluded.revision
    ), deleted as (
      delete from removed_features removed using changed
      where not changed.is_removed and removed.environment = changed.environment and removed.project = changed.project
        and removed.feature_name = changed.feature_name
    )
    select environment, project, revision from raised`;
  trx.defer(statement, onRaised);
}
