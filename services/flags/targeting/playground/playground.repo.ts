import { type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { dependenciesOf } from '../../features/dependencies/dependencies.repo.ts';
import { segmentsOfStrategy } from '../strategies/strategies.repo.ts';
import type { FlagInEnvironment, StoredSegment } from './playground.ts';

type Trx = Transaction<FlagsTables>;

/** The flags that are not archived; without projects, those of all. */
const liveFlags = (projects: readonly string[] | null): RawBuilder<unknown> =>
  sql`from features f where f.archived_at is null and (${projects}::text[] is null or f.project = any(${projects}::text[]))`;

export async function countFlags(trx: Trx, projects: readonly string[] | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count ${liveFlags(projects)}`.execute(trx);
  return rows[0]!.count;
}

/** By name, then in the order of the environments. */
export async function findFlagsIn(
  trx: Trx,
  environments: readonly string[],
  projects: readonly string[] | null,
): Promise<FlagInEnvironment[]> {
  const { rows } = await sql<FlagInEnvironment>`
    select
      f.name, f.project as "projectId", asked.environment, coalesce(fe.enabled, false) as enabled,
      coalesce(fe.variants, '[]') as variants,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'id', s.id, 'name', s.name, 'title', s.title, 'disabled', s.disabled, 'parameters', s.parameters,
              'constraints', s.constraints, 'segments', ${segmentsOfStrategy}, 'variants', s.variants
            ) order by s.sort_order, s.id
          ), '[]')
        from feature_strategies s where s.feature_name = f.name and s.environment = asked.environment
      ) as strategies,
      ${dependenciesOf(sql`f.name`)} as dependencies
    from (select * ${liveFlags(projects)}) as f
    cross join unnest(${environments}::text[]) with ordinality as asked (environment, position)
    left join feature_environments fe on fe.feature_name = f.name and fe.environment = asked.environment
    order by f.name, asked.position`.execute(trx);
  return rows;
}

export async function findSegmentsById(trx: Trx, ids: readonly number[]): Promise<StoredSegment[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredSegment>`
    select id, name, constraints from segments where id = any(${ids}::integer[])`.execute(trx);
  return rows;
}
