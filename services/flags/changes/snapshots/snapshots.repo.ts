import type { ChangedFeature, ChangedSegment } from '@yardarm/shared/contracts/flags';
import { type Kysely, prepared, type RawBuilder, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { dependenciesOf } from '../../features/dependencies/dependencies.repo.ts';
import { segmentsOfStrategy } from '../../targeting/strategies/strategies.repo.ts';
import type { KnownState, Revisions } from './snapshot.ts';

/** The state of an environment: its revisions, flags as SDKs get them, and the segments of their strategies. */
export interface EnvironmentState extends KnownState {
  changed: ChangedFeature[];
  removed: { name: string; project: string }[];
  changedSegments: ChangedSegment[];
  removedSegments: { id: number; project: string }[];
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
  const name = since === null ? 'find-environment' : 'find-environment-changes';
  const { rows } = await prepared(name)<StateRow>`
    select 'state' as kind, name collate "C" as name, json_build_object(
      'epoch', (select epoch from epoch),
      'revisions', (
        select coalesce(json_object_agg(project, revision order by project), '{}')
        from revisions where environment = ${environment}
      )
    ) as value
    from environments where name = ${environment}
    union all
    select 'changed', changed.name, json_build_object('feature', feature, 'tags', tags, 'revision', revision)
    from (${clientFeatures(environment, since)}) as changed
    union all
    select 'removed', removed.name, row_to_json(removed) from (${removedFeatures(environment, since)}) as removed
    union all
    select case when segment.is_used then 'changedSegment' else 'removedSegment' end, lpad(segment.id::text, 10, '0'),
      row_to_json(segment)
    from (${changedSegments(environment, since)}) as segment
    order by kind, name`.execute(db);
  const state = rows.find((row) => row.kind === 'state');
  if (!state) return null;
  return {
    ...state.value,
    changed: rows.flatMap(({ kind, value }) => (kind === 'changed' ? [value] : [])),
    removed: rows.flatMap(({ kind, value }) => (kind === 'removed' ? [value] : [])),
    changedSegments: rows.flatMap(({ kind, value }) => (kind === 'changedSegment' ? [value] : [])),
    removedSegments: rows.flatMap(({ kind, value }) => (kind === 'removedSegment' ? [value] : [])),
  };
}

type StateRow =
  | { kind: 'state'; value: KnownState }
  | { kind: 'changed'; value: EnvironmentState['changed'][number] }
  | { kind: 'removed'; value: EnvironmentState['removed'][number] }
  | { kind: 'changedSegment'; value: EnvironmentState['changedSegments'][number] }
  | { kind: 'removedSegment'; value: EnvironmentState['removedSegments'][number] };

/** A flag of the client API with its tags and its revision. */
function clientFeatures(environment: string, since: Revisions | null): RawBuilder<unknown> {
  const feature = sql`
    select
      f.name, f.type, f.description, fe.enabled, f.stale, f.impression_data as "impressionData", f.project,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'name', s.name, 'title', s.title, 'parameters', s.parameters, 'constraints', s.constraints,
              'segments', ${segmentsOfStrategy}, 'variants', s.variants
            ) order by s.sort_order, s.id
          ), '[]')
        from feature_strategies s
        where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled
      ) as strategies,
      fe.variants,
      ${dependenciesOf(sql`f.name`)} as dependencies`;
  return sql`
    select client.name, to_json(client) as feature, fe.revision, (
      select coalesce(json_agg(json_build_object('type', t.type, 'value', t.value) order by t.type, t.value), '[]')
      from feature_tags t where t.feature_name = f.name
    ) as tags
    from ${changedRows('feature_environments', 'fe', environment, since)} join features f on f.name = fe.feature_name
    cross join lateral (${feature}) as client
    where f.archived_at is null`;
}

/** A reader of the whole has nothing to forget. */
function removedFeatures(environment: string, since: Revisions | null): RawBuilder<unknown> {
  return sql`
    select removed.feature_name as name, removed.project
    from ${changedRows('removed_features', 'removed', environment, since)}
    where ${since !== null}`;
}

/** The segments that are in use, and for a delta also those whose use has ended. */
function changedSegments(environment: string, since: Revisions | null): RawBuilder<unknown> {
  return sql`
    select changed.segment_id as id, s.name, s.constraints, changed.project, changed.revision, changed.is_used
    from ${changedRows('segment_revisions', 'changed', environment, since)} left join segments s on s.id = changed.segment_id
    where changed.is_used or ${since !== null}`;
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
