import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { Limits } from '../places/limits/limits.ts';
import { flagOverhead, tagOverhead, unitBytes } from './sizes.ts';

// The size of what SDKs read. It is at least the size of a listing with segments inlined, the largest form: a segment
// counts with each enabled strategy that has it. Tags count too, because gateways hold them. An archived flag counts
// only the segments of its strategies, until it is deleted.
//
// Invariants, in each committed state:
//   - `feature_environments.bytes` and `.segment_ids` describe the flag at its last change that SDKs see. Only a holder
//     of the flag's row, or of its project's for update, writes them.
//   - `revisions.bytes` is the sum of its place: the bytes of flags, and those of segments for each use.
//   - `environment_bytes.units` is the sum of the units of the environment's places.
//   - The last two rise above the limit in no transaction. The check constraints refuse the commit.
//
// Releases before these columns write none of them. A change that measures a flag counts what they changed of it, as a
// patch does when the stored size is too small to be right (`growth.ts`). The rest is counted within the hour
// (`recounts`).

/** The keys and the punctuation of a strategy and of a dependency, and the ids of segments. */
const [strategyOverhead, dependencyOverhead] = [100, 50];

/** The size of a flag in an environment without segments. `fe` is its row of `feature_environments`. */
export function bytesOfFlag(fe: 'place' | 'present'): RawBuilder<number> {
  const [name, environment] = [sql.ref(`${fe}.feature_name`), sql.ref(`${fe}.environment`)];
  return sql`coalesce((
    select ${sql.lit(flagOverhead)} + octet_length(f.name) + octet_length(f.project)
      + coalesce(octet_length(to_json(f.description)::text), 0) + ${sql.ref(`${fe}.variant_bytes`)}
      + (
        select coalesce(sum(
          s.bytes + ${sql.lit(strategyOverhead)} + coalesce(octet_length(to_json(s.title)::text), 0)
        ), 0)
        from feature_strategies s
        where s.feature_name = ${name} and s.environment = ${environment} and not s.disabled
      ) + (
        select coalesce(sum(
          ${sql.lit(tagOverhead)} + octet_length(t.type) + octet_length(to_json(t.value)::text)
        ), 0)
        from feature_tags t where t.feature_name = ${name}
      ) + (
        select coalesce(sum(
          ${sql.lit(dependencyOverhead)} + octet_length(d.parent) + octet_length(d.variants::text)
        ), 0)
        from feature_dependencies d where d.child = ${name}
      )
    from features f where f.name = ${name} and f.archived_at is null
  ), 0)`;
}

/** The segments of the enabled strategies of a flag in an environment, one that two strategies have twice. */
export const segmentsOfFlag = sql<number[]>`array(
  select use.segment_id from feature_strategies s join strategy_segments use on use.strategy_id = s.id
  where s.feature_name = present.feature_name and s.environment = present.environment and not s.disabled
)`;

/**
 * Counts the segments of archived flags that have got strategies in an environment. Only flags that SDKs see are
 * measured with the revisions. The rows of the flags are locked, and the places will be counted again.
 */
export async function countSegmentsOfArchived(
  trx: Transaction<FlagsTables>,
  environment: string,
  projects: readonly string[],
): Promise<void> {
  await sql`
    update feature_environments as present set segment_ids = ${segmentsOfFlag}
    from features f
    where f.name = present.feature_name and f.archived_at is not null
      and present.environment = ${environment} and present.project = any(${projects}::text[])`.execute(trx);
}

export function bytesOfSegments(ids: string): RawBuilder<number> {
  return sql`(
    select coalesce(sum(s.bytes), 0) from unnest(${sql.ref(ids)}) as used (id) join segments s on s.id = used.id
  )`;
}

/**
 * The highest size of a place that has `present` bytes: the limit, or what it has if that is more. A place above the
 * limit may only shrink.
 */
export function maxBytes(present: string, { projectBytes }: Limits): RawBuilder<number> {
  return sql`greatest(${projectBytes}::bigint, ${sql.ref(present)})`;
}

/**
 * Stores the sizes of the places in `raised`, and returns them with those before. What has changed decides (`measured`
 * and the segments), or all flags of a place when it is recounted. The rows of `revisions` are locked.
 */
export function resizePlaces(segments: readonly number[], isRecounted: boolean, limits: Limits): RawBuilder<unknown> {
  const growth = isRecounted
    ? sql`
      select raised.environment, raised.project, (
        select coalesce(sum(
          coalesce(measured.flag_bytes, fe.bytes)
            + case when measured is null then ${bytesOfSegments('fe.segment_ids')}
              else ${bytesOfSegments('measured.segment_ids_after')} end
        ), 0)
        from feature_environments fe left join measured using (feature_name, environment)
        where fe.environment = raised.environment and fe.project = raised.project
      ) - raised.bytes_before as growth
      from raised`
    : sql`
      select environment, project, flag_bytes - flag_bytes_before
        + ${bytesOfSegments('segment_ids_after')} - ${bytesOfSegments('segment_ids')} as growth
      from measured
      union all
      select raised.environment, raised.project, (
        select count(*) from strategy_segments use
        join feature_strategies strategy on strategy.id = use.strategy_id
        join feature_environments fe using (feature_name, environment)
        where use.segment_id = stored.id and not strategy.disabled
          and fe.environment = raised.environment and fe.project = raised.project
      ) * (stored.bytes - known.bytes)
      from raised join segment_revisions known using (environment, project)
      join segments stored on stored.id = known.segment_id
      where known.is_used and stored.id = any(${segments}::integer[])`;
  return sql`
      update revisions set
        bytes = raised.bytes_before + growth.growth, max_bytes = ${maxBytes('raised.bytes_before', limits)}
      from raised join (
        select environment, project, sum(growth)::bigint as growth from (${growth}) as part group by environment, project
      ) as growth using (environment, project)
      where revisions.environment = raised.environment and revisions.project = raised.project
      returning revisions.environment, revisions.bytes, raised.bytes_before`;
}

/**
 * Counts the units that the places in `raised` begin and end, in the order of the environments. A change within a unit
 * locks no row of an environment.
 */
export function countUnits(resized: 'raised' | 'resized', { environmentBytes }: Limits): RawBuilder<unknown> {
  const unitsOf = (bytes: string) => sql`(${sql.ref(bytes)} + ${sql.lit(unitBytes - 1)}) / ${sql.lit(unitBytes)}`;
  return sql`
    insert into environment_bytes as known (environment, units, max_units)
    select environment, begun, ${Math.floor(environmentBytes / unitBytes)}::bigint
    from (
      select environment, sum(${unitsOf('bytes')} - ${unitsOf('bytes_before')}) as begun from ${sql.table(resized)}
      group by environment
    ) as counted
    where begun <> 0
    order by environment
    on conflict on constraint environment_bytes_pkey do update set
      units = known.units + excluded.units, max_units = greatest(excluded.max_units, known.units)`;
}

/**
 * The sizes of the largest environment and place. It reads all rows, 25,000 with 500 projects in 50 environments: an
 * index on the sizes would be written by each change.
 */
export async function findLargestSizes(db: Kysely<FlagsTables>): Promise<{ environment: number; project: number }> {
  const { rows } = await sql<{ environment: number; project: number }>`
    select
      (select coalesce(max(units), 0) * ${sql.lit(unitBytes)} from environment_bytes)::bigint as environment,
      (select coalesce(max(bytes), 0) from revisions)::bigint as project`.execute(db);
  return rows[0]!;
}
