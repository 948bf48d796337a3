import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

type Trx = Transaction<FlagsTables>;

export interface Copy {
  source: string;
  target: string;
  projects: readonly string[];
}

/** The ids of the projects that are not archived and have the environment. */
export async function findOpenProjectsWith(db: Kysely<FlagsTables>, environment: string): Promise<string[]> {
  const rows = await db
    .selectFrom('project_environments')
    .innerJoin('projects', 'projects.id', 'project_environments.project')
    .select('projects.id')
    .where('environment', '=', environment)
    .where('archived_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Locks the segments that a copy of strategies uses, so that none is deleted. Returns their ids. */
export async function lockSegmentsForShare(trx: Trx, { source, projects }: Copy): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from segments where id in (
      select use.segment_id
      from feature_environments fe
      join feature_strategies s on s.feature_name = fe.feature_name and s.environment = fe.environment
      join strategy_segments use on use.strategy_id = s.id
      where fe.environment = ${source} and fe.project = any(${projects}::text[])
    )
    order by id
    for key share`.execute(trx);
  return rows.map(({ id }) => id);
}

export async function hasDefaultStrategies(trx: Trx, environment: string): Promise<boolean> {
  const row = await trx
    .selectFrom('project_environments')
    .select('project')
    .where('environment', '=', environment)
    .where('default_strategy', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds the target to the projects. Their flags get in it what they have in the source: state, variants and strategies
 * with their segments. A flag that is not in the source is off. The rows of projects and flags are locked, and the
 * target is new.
 */
export async function copyEnvironment(trx: Trx, { source, target, projects }: Copy): Promise<void> {
  await trx.batch(
    sql`
      insert into project_environments (project, environment, default_strategy)
      select project, ${target}, present.default_strategy
      from unnest(${projects}::text[]) as chosen (project) left join (
        select project, default_strategy from project_environments where environment = ${source}
      ) as present using (project)`,
    sql`
      insert into feature_environments (feature_name, environment, project, enabled, variants)
      select f.name, ${target}, f.project, coalesce(present.enabled, false), coalesce(present.variants, '[]')
      from features f
      left join feature_environments present on present.feature_name = f.name and present.environment = ${source}
      where f.project = any(${projects}::text[])`,
    sql`
      with copied as materialized (
        select gen_random_uuid() as new_id, s.* from feature_strategies s join features f on f.name = s.feature_name
        where f.project = any(${projects}::text[]) and s.environment = ${source}
      ), inserted as (
        insert into feature_strategies (
          id, feature_name, environment, name, title, disabled, sort_order, parameters, constraints, variants)
        select
          new_id, feature_name, ${target}, name, title, disabled, sort_order, parameters, constraints, variants
        from copied
      )
      insert into strategy_segments (strategy_id, segment_id)
      select new_id, segment_id from copied join strategy_segments use on use.strategy_id = copied.id`,
    sql`update features set version = version + 1 where project = any(${projects}::text[])`,
  );
}

/** A flag of the projects whose strategies and variants have more bytes over all environments; null without one. */
export async function findFeatureAbove(
  db: Kysely<FlagsTables>,
  projects: readonly string[],
  maxBytes: number,
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select name from features f cross join lateral (
      select sum(bytes) as bytes from (
        select octet_length(s.parameters::text) + octet_length(s.constraints::text) + octet_length(s.variants::text)
        from feature_strategies s where s.feature_name = f.name
        union all
        select octet_length(fe.variants::text) from feature_environments fe where fe.feature_name = f.name
      ) as part (bytes)
    ) as total
    where f.project = any(${projects}::text[]) and total.bytes > ${maxBytes}
    limit 1`.execute(db);
  return rows[0]?.name ?? null;
}
