import { hidden, prepared, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { Limits } from '../places/limits/limits.ts';
import { bytesOfFlag, countUnits, maxBytes, resizePlaces, segmentsOfFlag } from './sizes.repo.ts';

type Trx = Transaction<FlagsTables>;

export interface EnvironmentOfProject {
  environment: string;
  project: string;
}

/** What SDKs see differently after the commit. */
export interface VisibleChanges {
  /**
   * A flag occurs once. Its environment is null for every environment that the flag is in. Without a known growth in
   * bytes it is measured.
   */
  features: {
    featureName: string;
    environment: string | null;
    isNew?: boolean | undefined;
    isRemoved: boolean;
    growth?: number | undefined;
  }[];
  /** Places that flags have left. */
  departures: ({ featureName: string } & EnvironmentOfProject)[];
  /** Places that change although no flag of them does. */
  places: EnvironmentOfProject[];
  /** Segments whose contents changed. Their rows are locked for update. */
  segments: number[];
  /** Segments whose use may have begun or ended in the changed places. */
  segmentUses: number[];
  /** Places whose size changes. SDKs see something else only where the use of one of `segmentUses` has ended. */
  endsOfUse: EnvironmentOfProject[];
}

export interface RaisedRevision extends EnvironmentOfProject {
  revision: number;
}

export function noChanges(): VisibleChanges {
  return { features: [], departures: [], places: [], segments: [], segmentUses: [], endsOfUse: [] };
}

/**
 * Raises the revision of every changed environment and project by one, stores it with what changed there and with its
 * size, and inserts or deletes what readers must forget. The commit fails when a place or an environment grows above
 * its limit (`translateSizeError`).
 *
 * Writers of different flags share the rows of `revisions`. So these rows are the last locks of a transaction, in the
 * order of their key. Most changes concern flags only. Their statement is sent with the commit, so that the holder of
 * the rows waits for nothing else.
 */
export async function raiseRevisions(
  trx: Trx,
  changes: VisibleChanges,
  limits: Limits,
  onRaised: (raised: RaisedRevision[]) => void,
): Promise<void> {
  const { features, ...others } = changes;
  if (Object.values(others).every((list) => list.length === 0)) {
    if (features.length > 0) deferFeatureRevisions(trx, features, limits, onRaised);
    return;
  }
  const ended = await findEndsOfUse(trx, changes);
  const places = await raisePlaces(trx, { ...changes, places: [...changes.places, ...ended] });
  if (places.length === 0) return;
  storeRevisions(trx, changes, limits, places);
  trx.onCommit(() => onRaised(places.filter(({ isRaised }) => isRaised)));
}

/**
 * Locks the rows in the order of their key. An UPDATE alone would lock them in the order of its plan, and two writers
 * could deadlock.
 */
function deferFeatureRevisions(
  trx: Trx,
  changes: VisibleChanges['features'],
  limits: Limits,
  onRaised: (raised: RaisedRevision[]) => void,
): void {
  const areFew = changes.length <= maxFewChanges;
  // Most changes leave flags where they are, and nothing to be measured. The part of the statement for the others costs
  // Postgres more at each execution, also if it does nothing: 15 % for what readers must forget (2,400 groups of 7).
  const arePatches = changes.every(({ growth, isNew, isRemoved }) => growth !== undefined && !isNew && !isRemoved);
  const known = sql`flag_bytes_before + place.growth`;
  const bytes = arePatches ? known : sql`coalesce(${known}, ${bytesOfFlag('place')})`;
  const forgotten = sql`, inserted as (
      insert into removed_features (environment, project, feature_name, revision)
      select environment, project, feature_name, revision from changed where is_removed
      on conflict on constraint removed_features_pkey do update set revision = excluded.revision
    ), deleted as (
      ${deleteRemoved('changed')}
    )`;
  const statement = sql<RaisedRevision>`
    with places as (${featurePlaces(changes, areFew ? hidden : undefined)}), locked as (
      select environment, project, bytes as bytes_before from revisions
      where (environment, project) in (select environment, project from places)
      order by environment, project
      for update
    ), measured as materialized (
      select place.*, ${bytes} as flag_bytes from places as place
    ), growth as (
      select environment, project, sum(flag_bytes - flag_bytes_before)::bigint as growth from measured
      group by environment, project
    ), raised as (
      update revisions set
        revision = revisions.revision + 1, bytes = locked.bytes_before + growth.growth,
        max_bytes = ${maxBytes('locked.bytes_before', limits)}
      from locked join growth using (environment, project)
      where revisions.environment = locked.environment and revisions.project = locked.project
      returning revisions.environment, revisions.project, revisions.revision, revisions.bytes, locked.bytes_before
    ), counted as (
      ${countUnits('raised', limits)}
    ), changed as (
      select * from measured join raised using (environment, project)
    ), updated as (
      update feature_environments fe set revision = changed.revision, bytes = changed.flag_bytes
      from changed
      where fe.feature_name = changed.feature_name and fe.environment = changed.environment
    )${arePatches ? sql`` : forgotten}
    select environment, project, revision from raised`;
  trx.defer(
    areFew ? prepared(arePatches ? 'raise-patched-revisions' : 'raise-feature-revisions', statement) : statement,
    onRaised,
  );
}

/**
 * A group of patches has fewer. Postgres plans more changes for their number: a kept plan for few flags takes seconds
 * for thousands.
 */
const maxFewChanges = 100;

/**
 * Deletes what readers need no longer forget. The planner does not know how many flags a place has lost. The offset
 * keeps it from reading all of them for each flag by the index on revisions.
 */
function deleteRemoved(changed: 'changed' | 'present') {
  return sql`
    delete from removed_features removed using (
      select earlier.ctid
      from ${sql.table(changed)} as changed cross join lateral (
        select ctid, environment, project from removed_features where feature_name = changed.feature_name offset 0
      ) as earlier
      where not changed.is_removed and earlier.environment = changed.environment and earlier.project = changed.project
    ) as known
    where removed.ctid = known.ctid`;
}

/** The offset keeps the planner from reading the environments of all flags when `wrap` hides the number of changes. */
function featurePlaces(changes: VisibleChanges['features'], wrap = (array: RawBuilder<unknown>) => array) {
  const names = sql`${changes.map(({ featureName }) => featureName)}::text[]`;
  const environments = sql`${changes.map(({ environment }) => environment)}::text[]`;
  const growths = sql`${changes.map(({ growth }) => growth ?? null)}::integer[]`;
  const areRemoved = sql`${changes.map(({ isRemoved }) => isRemoved)}::boolean[]`;
  return sql`
    select
      fe.feature_name, fe.environment, fe.project, fe.variant_bytes, fe.segment_ids, fe.bytes as flag_bytes_before,
      change.is_removed, change.growth
    from unnest(${wrap(names)}, ${wrap(environments)}, ${wrap(areRemoved)}, ${wrap(growths)})
      as change (feature_name, environment, is_removed, growth)
    cross join lateral (
      select * from feature_environments
      where feature_name = change.feature_name and environment = coalesce(change.environment, environment)
      offset 0
    ) as fe`;
}

/**
 * The places of `endsOfUse` where a segment was in use and is no more. Only a statement that begins after the rows of
 * `revisions` are locked sees the uses that other transactions have begun or ended. Beside other changes all of the
 * places count: their rows would be locked before rows that come first in the order of the key.
 */
async function findEndsOfUse(
  trx: Trx,
  { endsOfUse, segmentUses, ...others }: VisibleChanges,
): Promise<readonly EnvironmentOfProject[]> {
  if (endsOfUse.length === 0 || Object.values(others).some((list) => list.length > 0)) return endsOfUse;
  const places = sql`
    select * from unnest(
      ${endsOfUse.map(({ environment }) => environment)}::text[], ${endsOfUse.map(({ project }) => project)}::text[]
    ) as place (environment, project)`;
  const [, ended] = await trx.batch(
    sql`
      select from revisions where (environment, project) in (${places}) order by environment, project for update`,
    sql<EnvironmentOfProject>`
      select distinct environment, project from segment_revisions known
      where is_used and segment_id = any(${segmentUses}::integer[]) and (environment, project) in (${places})
        and not ${isSegmentUsed('known')}`,
  );
  return ended;
}

/** Whether a strategy that is not disabled has the segment, in the environment and project of a row of this name. */
const isSegmentUsed = (row: string) => sql`exists (
  select from strategy_segments use
  join feature_strategies strategy on strategy.id = use.strategy_id
  join feature_environments fe using (feature_name, environment)
  where use.segment_id = ${sql.ref(`${row}.segment_id`)} and not strategy.disabled
    and fe.environment = ${sql.ref(`${row}.environment`)} and fe.project = ${sql.ref(`${row}.project`)}
)`;

/**
 * Raises each place once, in the order of the key, and locks those of `endsOfUse` that are not raised. A place without
 * a counter gets one.
 */
async function raisePlaces(
  trx: Trx,
  { features, departures, places, segments, endsOfUse }: VisibleChanges,
): Promise<(RaisedRevision & { isRaised: boolean })[]> {
  const others = [...departures, ...places];
  const { rows } = await sql<RaisedRevision & { isRaised: boolean }>`
    with places as (
      select environment, project from (${featurePlaces(features)}) as feature_places
      union
      select environment, project from unnest(
        ${others.map(({ environment }) => environment)}::text[], ${others.map(({ project }) => project)}::text[]
      ) as place (environment, project)
      union
      select environment, project from segment_revisions where is_used and segment_id = any(${segments}::integer[])
    ), steps as (
      select environment, project, max(step) as step from (
        select environment, project, 1 as step from places
        union all
        select environment, project, 0 from unnest(
          ${endsOfUse.map(({ environment }) => environment)}::text[], ${endsOfUse.map(({ project }) => project)}::text[]
        ) as place (environment, project)
      ) as step group by environment, project
    ), stored as (
      insert into revisions (environment, project, revision)
      select environment, project, step from steps order by environment, project
      on conflict on constraint revisions_pkey do update set revision = revisions.revision + excluded.revision
      returning environment, project, revision
    )
    select environment, project, revision, step = 1 as "isRaised" from stored join steps using (environment, project)`.execute(
    trx,
  );
  return rows;
}

/**
 * Stores the raised revisions. It is a statement of its own: only a statement that begins after the rows of `revisions`
 * are locked sees which uses of a segment other transactions have begun or ended.
 */
function storeRevisions(
  trx: Trx,
  { features, departures, places, segments, segmentUses, endsOfUse }: VisibleChanges,
  limits: Limits,
  raised: readonly RaisedRevision[],
): void {
  // The sizes of what has left a place are no longer known.
  const isRecounted = departures.length > 0 || places.length > 0 || endsOfUse.length > 0;
  trx.defer(sql`
    with raised as (
      select place.*, known.bytes as bytes_before from unnest(
        ${raised.map(({ environment }) => environment)}::text[], ${raised.map(({ project }) => project)}::text[],
        ${raised.map(({ revision }) => revision)}::bigint[]
      ) as place (environment, project, revision) join revisions known using (environment, project)
    ), present as (
      select * from (${featurePlaces(features)}) as feature_places join raised using (environment, project)
    ), measured as materialized (
      select present.*, ${bytesOfFlag('present')} as flag_bytes, ${segmentsOfFlag} as segment_ids_after from present
    ), resized as (
      ${resizePlaces(segments, isRecounted, limits)}
    ), counted as (
      ${countUnits('resized', limits)}
    ), updated as (
      update feature_environments fe
      set revision = measured.revision, bytes = measured.flag_bytes, segment_ids = measured.segment_ids_after
      from measured
      where fe.feature_name = measured.feature_name and fe.environment = measured.environment
    ), removed as (
      select environment, project, feature_name, revision from present where is_removed
      union
      select environment, project, feature_name, revision
      from unnest(
        ${departures.map(({ environment }) => environment)}::text[], ${departures.map(({ project }) => project)}::text[],
        ${departures.map(({ featureName }) => featureName)}::text[]
      ) as departure (environment, project, feature_name)
      join raised using (environment, project)
    ), inserted as (
      insert into removed_features (environment, project, feature_name, revision)
      select environment, project, feature_name, revision from removed
      on conflict on constraint removed_features_pkey do update set revision = excluded.revision
    ), deleted as (
      ${deleteRemoved('present')}
    ), changed_segments as (
      update segment_revisions segment set revision = raised.revision, bytes = stored.bytes
      from raised cross join segments stored
      where segment.environment = raised.environment and segment.project = raised.project and segment.is_used
        and segment.segment_id = any(${segments}::integer[]) and stored.id = segment.segment_id
    ), touched as (
      select * from raised cross join (select distinct unnest(${segmentUses}::integer[]) as segment_id) as segment
    ), uses as (
      select environment, project, revision, segment_id, coalesce(
        (select bytes from segments where id = touched.segment_id), 0
      ) as bytes, ${isSegmentUsed('touched')} as is_used
      from touched
    )
    insert into segment_revisions as known (environment, project, segment_id, is_used, revision, bytes)
    select environment, project, segment_id, is_used, revision, bytes from uses
    where is_used or exists (
      select from segment_revisions earlier
      where earlier.environment = uses.environment and earlier.project = uses.project
        and earlier.segment_id = uses.segment_id
    )
    on conflict on constraint segment_revisions_pkey do update
      set is_used = excluded.is_used, revision = excluded.revision, bytes = excluded.bytes
      where known.is_used <> excluded.is_used`);
}
