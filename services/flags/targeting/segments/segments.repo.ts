import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { NewSegment, SegmentUse, StoredSegment, UseCounts } from './segment.ts';

type Trx = Transaction<FlagsTables>;
type SegmentColumns = Selectable<FlagsTables['segments']>;
type CountedSegment = StoredSegment & UseCounts;

/**
 * Locks a segment so that no strategy begins to use it until the commit: the lock conflicts with that of a foreign key.
 * A use that has begun in another transaction is committed when the lock is there.
 */
export async function lockSegment(trx: Trx, id: number): Promise<StoredSegment | null> {
  const { rows } = await sql<SegmentColumns>`select * from segments where id = ${id} for update`.execute(trx);
  return rows[0] ? toRow(rows[0]) : null;
}

/** Null when a segment has the name. The unique constraint decides races. */
export async function insertSegment(
  trx: Trx,
  { name, description, project, constraints }: NewSegment,
  createdBy: string,
): Promise<StoredSegment | null> {
  const { rows } = await sql<SegmentColumns>`
    insert into segments (name, description, project, constraints, created_by)
    values (${name}, ${description}, ${project}, ${JSON.stringify(constraints)}, ${createdBy})
    on conflict on constraint segments_name_key do nothing
    returning *`.execute(trx);
  return rows[0] ? toRow(rows[0]) : null;
}

/** The caller has locked the segment. Throws a violation of `segments_name_key` when another one has the name. */
export async function updateSegmentRow(
  trx: Trx,
  id: number,
  { name, description, project, constraints }: NewSegment,
): Promise<void> {
  await sql`
    update segments set
      name = ${name}, description = ${description}, project = ${project}, constraints = ${JSON.stringify(constraints)}
    where id = ${id}`.execute(trx);
}

export async function deleteSegmentRow(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('segments').where('id', '=', id).execute();
}

export async function hasSegmentNamed(db: Kysely<FlagsTables>, name: string): Promise<boolean> {
  const row = await db.selectFrom('segments').select('id').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

export async function findSegment(db: Kysely<FlagsTables>, id: number): Promise<CountedSegment | null> {
  const [segment] = await selectSegments(db, sql`s.id = ${id}`);
  return segment ?? null;
}

export async function listSegmentRows(db: Kysely<FlagsTables>): Promise<CountedSegment[]> {
  return await selectSegments(db, sql`true`);
}

/** The segments of a strategy by name; null when there is no such strategy. */
export async function findSegmentsOf(db: Kysely<FlagsTables>, strategyId: string): Promise<CountedSegment[] | null> {
  const ids = sql`select segment_id from strategy_segments where strategy_id = ${strategyId}`;
  const segments = await selectSegments(db, sql`s.id in (${ids})`);
  if (segments.length > 0) return segments;
  const row = await db.selectFrom('feature_strategies').select('id').where('id', '=', strategyId).executeTakeFirst();
  return row ? [] : null;
}

async function selectSegments(db: Kysely<FlagsTables>, filter: RawBuilder<unknown>): Promise<CountedSegment[]> {
  const { rows } = await sql<SegmentColumns & UseCounts>`
    select s.*, uses.* from segments s cross join lateral (
      select
        count(distinct feature_name)::integer as "usedInFeatures", count(distinct project)::integer as "usedInProjects"
      from ${usesOf(sql`s.id`)}
    ) as uses
    where ${filter}
    order by s.name`.execute(db);
  return rows.map((row) => toRow(row));
}

/** The uses of a segment in strategies, also in those of archived flags, which may be revived. */
function usesOf(segmentId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select strategy.id, strategy.name, strategy.feature_name, strategy.environment, feature.project
    from strategy_segments use
    join feature_strategies strategy on strategy.id = use.strategy_id
    join features feature on feature.name = strategy.feature_name
    where use.segment_id = ${segmentId}
  ) as of_segment`;
}

/** The strategies that use a segment, by flag and environment, all of them or the first ones. */
export async function listUses(
  db: Kysely<FlagsTables>,
  id: number,
  limit: number | null = null,
): Promise<SegmentUse[]> {
  const { rows } = await sql<SegmentUse>`
    select id, feature_name as "featureName", project as "projectId", environment, name as "strategyName"
    from ${usesOf(sql`${id}`)}
    order by feature_name, environment, id
    limit ${limit}`.execute(db);
  return rows;
}

/** A place whose default strategy has the segment; undefined without one. The caller has locked the segment. */
export async function findDefaultUse(
  trx: Trx,
  id: number,
): Promise<{ project: string; environment: string } | undefined> {
  const { rows } = await sql<{ project: string; environment: string }>`
    select project, environment from ${defaultUsesOf(id)} order by project, environment limit 1`.execute(trx);
  return rows[0];
}

/** The uses of a segment in the default strategies of projects, also of archived ones, which may be revived. */
function defaultUsesOf(id: number): RawBuilder<unknown> {
  return sql`(
    select project, environment from project_environments
    where default_strategy is not null and exists (
      select from json_array_elements_text(default_strategy -> 'segments') as segment where segment::integer = ${id}
    )
  ) as of_default`;
}

/**
 * The other projects whose flags or default strategies use the segment, without the given one. The caller has locked
 * the segment.
 */
export async function listOtherProjects(trx: Trx, id: number, project: string): Promise<string[]> {
  const { rows } = await sql<{ project: string }>`
    select project from ${usesOf(sql`${id}`)} where project <> ${project}
    union
    select project from ${defaultUsesOf(id)} where project <> ${project}
    order by project`.execute(trx);
  return rows.map((row) => row.project);
}
