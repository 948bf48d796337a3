import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { EnvironmentOfProject } from '../revisions.repo.ts';
import { bytesOfFlag, bytesOfSegments, segmentsOfFlag } from '../sizes.repo.ts';

export interface WrongFeature extends EnvironmentOfProject {
  featureName: string;
}

const sorted = (ids: RawBuilder<unknown>) => sql`array(select unnest(${ids}) order by 1)`;

/**
 * Measures the flags whose names follow `after`, `limit` of them. Returns those whose stored size or segments differ,
 * and the last name; null when no flag follows.
 */
export async function findWrongFeatures(
  db: Kysely<FlagsTables>,
  after: string,
  limit: number,
): Promise<{ last: string | null; wrong: WrongFeature[] }> {
  const { rows } = await sql<{ last: string | null; wrong: WrongFeature[] }>`
    with batch as (
      select name from features where name > ${after} order by name limit ${limit}
    ), measured as (
      select present.feature_name, present.environment, present.project,
        present.bytes <> ${bytesOfFlag('present')}
          or ${sorted(sql`present.segment_ids`)} <> ${sorted(segmentsOfFlag)} as is_wrong
      from batch join feature_environments as present on present.feature_name = batch.name
    )
    select (select max(name) from batch) as last, (
      select coalesce(
        json_agg(json_build_object('featureName', feature_name, 'environment', environment, 'project', project)), '[]')
      from measured where is_wrong
    ) as wrong`.execute(db);
  return rows[0]!;
}

/** The segments whose size differs from what their uses count. */
export async function findWrongSegments(db: Kysely<FlagsTables>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct stored.id from segment_revisions known join segments stored on stored.id = known.segment_id
    where known.is_used and known.bytes <> stored.bytes`.execute(db);
  return rows.map(({ id }) => id);
}

/** The places whose size is not the sum of their flags and segments. */
export async function findWrongPlaces(db: Kysely<FlagsTables>): Promise<EnvironmentOfProject[]> {
  const { rows } = await sql<EnvironmentOfProject>`
    with summed as (
      select environment, project, sum(bytes + ${bytesOfSegments('fe.segment_ids')}) as bytes
      from feature_environments fe group by environment, project
    )
    select environment, project from revisions left join summed using (environment, project)
    where revisions.bytes <> coalesce(summed.bytes, 0)`.execute(db);
  return rows;
}

/** Locks those of the segments that no other transaction has locked. */
export async function lockFreeSegments(trx: Transaction<FlagsTables>, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from segments where id = any(${[...ids]}::integer[]) order by id for update skip locked`.execute(trx);
  return rows.map(({ id }) => id);
}
