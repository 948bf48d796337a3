import { type RawBuilder, sql } from '@yardarm/shared/db';
import type { Limits } from '../places/limits/limits.ts';
import { blockBytes } from './sizes.ts';

// The size of what SDKs read. It is at least the size of a listing with segments inlined, the largest form: a segment
// counts with each enabled strategy that has it. Tags count too, because gateways hold them. An archived flag counts
// only the segments of its strategies, until it is deleted.
//
// Invariants, in each committed state:
//   - `feature_environments.bytes` and `.segment_ids` describe the flag at its last change that SDKs see. Only a holder
//     of the flag's row, or of its project's for update, writes them.
//   - `revisions.bytes` is the sum of its place: bytes of flags, and `segment_revisions.bytes` for each use of a segment.
//   - `environment_bytes.blocks` is the sum of the blocks of the environment's places.
//   - The last two rise above the limit in no transaction. The check constraints refuse the commit.
//
// Releases before these columns write none of them. The next change of a flag that SDKs see counts what they changed.

/** The keys and the punctuation of a flag, and the properties of a few letters: at most 300 bytes of JSON. */
const flagOverhead = 300;
/** The keys and the punctuation of a strategy, of a tag and of a dependency, and the ids of segments. */
const [strategyOverhead, tagOverhead, dependencyOverhead] = [100, 30, 50];

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
 * Counts the blocks that the places in `raised` begin and end, in the order of the environments. A change within a block
 * locks no row of an environment.
 */
export function countBlocks(resized: 'raised' | 'resized', { environmentBytes }: Limits): RawBuilder<unknown> {
  const blocksOf = (bytes: string) => sql`(${sql.ref(bytes)} + ${sql.lit(blockBytes - 1)}) / ${sql.lit(blockBytes)}`;
  return sql`
    insert into environment_bytes as known (environment, blocks, max_blocks)
    select environment, begun, ${Math.floor(environmentBytes / blockBytes)}::bigint
    from (
      select environment, sum(${blocksOf('bytes')} - ${blocksOf('bytes_before')}) as begun from ${sql.table(resized)}
      group by environment
    ) as counted
    where begun <> 0
    order by environment
    on conflict on constraint environment_bytes_pkey do update set
      blocks = known.blocks + excluded.blocks, max_blocks = greatest(excluded.max_blocks, known.blocks)`;
}
