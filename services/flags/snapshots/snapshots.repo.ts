import type { ClientFeature } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { KnownState, Revisions } from './snapshot.ts';

export interface RemovedFeature {
  name: string;
  project: string;
}

/** The state of an environment: its revisions, and flags as SDKs get them. */
export interface EnvironmentState extends KnownState {
  changed: ClientFeature[];
  removed: RemovedFeature[];
}

/**
 * The epoch and the revisions. There is also a row for an environment without projects, and one without any
 * environment.
 */
export async function findAllRevisions(
  db: Kysely<FlagsTables>,
): Promise<{ epoch: string; environment: string | null; project: string | null; revision: number | null }[]> {
  return await db
    .selectFrom('epoch')
    .leftJoin('environments', (join) => join.onTrue())
    .leftJoin('revisions', 'revisions.environment', 'environments.name')
    .select(['epoch.epoch', 'environments.name as environment', 'revisions.project', 'revisions.revision'])
    .orderBy('environments.name')
    .orderBy('revisions.project')
    .execute();
}

/**
 * All flags of an environment by name; with `since`, the flags that changed after those revisions and the flags that
 * SDKs must forget. Null when there is no such environment. One statement reads one state without a transaction, in one
 * round trip.
 */
export async function findEnvironmentState(
  db: Kysely<FlagsTables>,
  environment: string,
  since: Revisions | null,
): Promise<EnvironmentState | null> {
  const { rows } = await sql<StateRow>`
    select 'state' as kind, name collate "C" as name, json_build_object(
      'epoch', (select epoch from epoch),
      'revisions', (
        select coalesce(json_object_agg(project, revision order by project), '{}')
        from revisions where environment = ${environment}
      )
    ) as value
    from environments where name = ${environment}
    union all
    select 'changed', changed.name, row_to_json(changed) from (${clientFeatures(environment, since)}) as changed
    union all
    select 'removed', removed.name, row_to_json(removed) from (${removedFeatures(environment, since)}) as removed
    order by kind, name`.execute(db);
  const state = rows.find((row) => row.kind === 'state');
  if (!state) return null;
  return {
    ...state.value,
    changed: rows.flatMap(({ kind, value }) => (kind === 'changed' ? [value] : [])),
    removed: rows.flatMap(({ kind, value }) => (kind === 'removed' ? [value] : [])),
  };
}

type StateRow =
  | { kind: 'state'; value: KnownState }
  | { kind: 'changed'; value: ClientFeature }
  | { kind: 'removed'; value: RemovedFeature };

function clientFeatures(environment: string, since: Revisions | null): RawBuilder<unknown> {
  return sql`
    select
      f.name, f.type, f.description, fe.enabled, f.stale, f.impression_data as "impressionData", f.project,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'name', s.name, 'title', s.title, 'parameters', s.parameters, 'constraints', s.constraints,
              'segments', s.segments, 'variants', s.variants
            ) order by s.sort_order, s.id
          ), '[]')
        from feature_strategies s
        where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled
      ) as strategies,
      '[]'::json as variants,
      '[]'::json as dependencies
    from ${changedRows('feature_environments', 'fe', environment, since)} join features f on f.name = fe.feature_name
    where f.archived_at is null`;
}

/** A reader of the whole has nothing to forget. */
function removedFeatures(environment: string, since: Revisions | null): RawBuilder<unknown> {
  return sql`
    select removed.feature_name as name, removed.project
    from ${changedRows('removed_features', 'removed', environment, since)}
    where ${since !== null}`;
}

/**
 * A delta reads the index on (environment, project, revision) for each changed project, so that it costs what changed.
 * A project that the reader does not know is read from revision 0. The planner does not know the reader's revisions.
 * The offset keeps it from reading the whole environment.
 */
function changedRows(table: string, alias: string, environment: string, since: Revisions | null): RawBuilder<unknown> {
  const rows = sql`select * from ${sql.table(table)} where environment = ${environment}`;
  if (since === null) return sql`(${rows}) as ${sql.ref(alias)}`;
  return sql`(
      select r.project, coalesce(known.value::bigint, 0) as since
      from revisions r left join json_each_text(${JSON.stringify(since)}::json) as known on known.key = r.project
      where r.environment = ${environment} and r.revision > coalesce(known.value::bigint, 0)
    ) as behind cross join lateral (
      ${rows} and project = behind.project and revision > behind.since offset 0
    ) as ${sql.ref(alias)}`;
}
