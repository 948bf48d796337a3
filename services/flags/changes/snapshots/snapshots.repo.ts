import type { ChangedFeature, ChangedSegment } from '@yardarm/shared/contracts/flags';
import { type Kysely, prepared, type RawBuilder, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { changedRows, changedSegments, clientFeatures, removedFeatures } from './changed-rows.repo.ts';
import type { KnownState, Revisions } from './snapshot.ts';

/** The state of an environment: its revisions, flags as SDKs get them, and the segments of their strategies. */
export interface EnvironmentState extends KnownState {
  changed: ChangedFeature[];
  removed: { name: string; project: string }[];
  changedSegments: ChangedSegment[];
  removedSegments: { id: number; project: string }[];
}

/** Without the lists, because they are too large for one statement. */
export interface LargeState extends KnownState {
  isLarge: true;
}

/**
 * What one statement reads at most, as the sizes of places count it. 4 MB take some 50 ms to read, and hold a thousand
 * flags of 4 kB.
 */
const maxStatementBytes = 4_000_000;

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
 * round trip. It reads no flags when they are too large for it.
 */
export async function findEnvironmentState(
  db: Kysely<FlagsTables>,
  environment: string,
  since: Revisions | null,
): Promise<(EnvironmentState & { isLarge: false }) | LargeState | null> {
  const name = since === null ? 'find-environment' : 'find-environment-changes';
  const isSmall = sql`(select is_small from size)`;
  const { rows } = await prepared(name)<StateRow>`
    with size as (select ${isSmallEnough(environment, since)} as is_small)
    select 'state' as kind, name collate "C" as name, json_build_object(
      'epoch', (select epoch from epoch), 'revisions', ${revisionsOf(environment)}, 'isLarge', not ${isSmall}
    ) as value
    from environments where name = ${environment}
    union all
    select 'changed', changed.name, json_build_object('feature', feature, 'tags', tags, 'revision', revision)
    from (${clientFeatures(changedRows('feature_environments', 'fe', environment, since))}) as changed
    where ${isSmall}
    union all
    select 'removed', removed.name, row_to_json(removed) from (${removedFeatures(environment, since)}) as removed
    where ${isSmall}
    union all
    select case when segment.is_used then 'changedSegment' else 'removedSegment' end, lpad(segment.id::text, 10, '0'),
      row_to_json(segment)
    from (${changedSegments(environment, since)}) as segment
    where ${isSmall}
    order by kind, name`.execute(db);
  const state = rows.find((row) => row.kind === 'state');
  if (!state) return null;
  const { isLarge, ...known } = state.value;
  if (isLarge) return { ...known, isLarge };
  return {
    ...known,
    isLarge,
    changed: rows.flatMap(({ kind, value }) => (kind === 'changed' ? [value] : [])),
    removed: rows.flatMap(({ kind, value }) => (kind === 'removed' ? [value] : [])),
    changedSegments: rows.flatMap(({ kind, value }) => (kind === 'changedSegment' ? [value] : [])),
    removedSegments: rows.flatMap(({ kind, value }) => (kind === 'removedSegment' ? [value] : [])),
  };
}

type StateRow =
  | { kind: 'state'; value: KnownState & { isLarge: boolean } }
  | { kind: 'changed'; value: EnvironmentState['changed'][number] }
  | { kind: 'removed'; value: EnvironmentState['removed'][number] }
  | { kind: 'changedSegment'; value: EnvironmentState['changedSegments'][number] }
  | { kind: 'removedSegment'; value: EnvironmentState['removedSegments'][number] };

/** The revisions of an environment by project, as JSON. */
export function revisionsOf(environment: string): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_object_agg(project, revision order by project), '{}')
    from revisions where environment = ${environment}
  )`;
}

/**
 * Whether one statement may read the changes. The whole environment is so small nearly always. Only if it is not, the
 * sizes of what changed are added. A place counts each use of a segment, so it is never smaller than what is read.
 */
function isSmallEnough(environment: string, since: Revisions | null): RawBuilder<unknown> {
  const changedBytes = (table: 'feature_environments' | 'segment_revisions') => sql`(
    select coalesce(sum(sized.bytes), 0) from ${changedRows(table, 'sized', environment, since)}
  )`;
  const isSmallChange = sql`
    ${changedBytes('feature_environments')} + ${changedBytes('segment_revisions')} <= ${maxStatementBytes}::bigint`;
  return sql`case
    when (select coalesce(sum(bytes), 0) from revisions where environment = ${environment})
      <= ${maxStatementBytes}::bigint then true
    else ${since === null ? sql`false` : isSmallChange}
  end`;
}
