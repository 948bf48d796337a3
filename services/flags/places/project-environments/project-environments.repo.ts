import type { DefaultStrategy, ProjectEnvironment } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

type Trx = Transaction<FlagsTables>;

/** All environments in their order, with what a project has in them. */
export async function findProjectEnvironments(
  db: Kysely<FlagsTables>,
  project: string,
): Promise<(Omit<ProjectEnvironment, 'defaultStrategy'> & { defaultStrategy: DefaultStrategy | null })[]> {
  const { rows } = await sql<ProjectEnvironment & { defaultStrategy: DefaultStrategy | null }>`
    select
      e.name, e.type, e.sort_order as "sortOrder", e.enabled, e.protected,
      e.required_approvals as "requiredApprovals",
      (
        select count(*)::integer from feature_environments fe join features f on f.name = fe.feature_name
        where fe.environment = e.name and fe.project = ${project} and fe.enabled and f.archived_at is null
      ) as "projectEnabledToggleCount",
      pe.default_strategy as "defaultStrategy",
      pe.project is not null as visible
    from environments e
    left join project_environments pe on pe.environment = e.name and pe.project = ${project}
    order by e.sort_order, e.name`.execute(db);
  return rows;
}

/** Inserts an environment of a project. False when the project has it: the primary key decides races. */
export async function insertProjectEnvironment(trx: Trx, project: string, environment: string): Promise<boolean> {
  const row = await trx
    .insertInto('project_environments')
    .values({ project, environment })
    .onConflict((conflict) => conflict.doNothing())
    .returning('project')
    .executeTakeFirst();
  return row !== undefined;
}

/** The default strategies of a project by environment, or that of one of its environments. Null: none of its own. */
export async function findDefaultStrategies(
  db: Kysely<FlagsTables>,
  project: string,
  environment?: string,
): Promise<Map<string, DefaultStrategy | null>> {
  const rows = await db
    .selectFrom('project_environments')
    .select(['environment', 'default_strategy'])
    .where('project', '=', project)
    .$if(environment !== undefined, (query) => query.where('environment', '=', environment as string))
    .orderBy('environment')
    .execute();
  return new Map(rows.map((row) => [row.environment, row.default_strategy as DefaultStrategy | null]));
}

/** The caller has locked the project's row. */
export async function updateDefaultStrategies(
  trx: Trx,
  project: string,
  environments: readonly string[],
  strategy: DefaultStrategy,
): Promise<void> {
  await trx
    .updateTable('project_environments')
    .set({ default_strategy: JSON.stringify(strategy) })
    .where('project', '=', project)
    .where('environment', '=', sql<string>`any(${environments}::text[])`)
    .execute();
}

/**
 * Puts all flags of a project, whose rows are locked, into an environment. They are off in it. Their admin view changes
 * with it, so their versions rise.
 */
export async function insertEnvironmentOfFeatures(trx: Trx, project: string, environment: string): Promise<void> {
  await trx.batch(
    sql`
      insert into feature_environments (feature_name, environment, project)
      select name, ${environment}, project from features where project = ${project}`,
    raiseVersions([project]),
  );
}

/**
 * Deletes an environment of a project with everything that its flags have there: states, strategies with their
 * segments, variants and the times of their last use. The rows of project and flags are locked. The rows of last uses
 * are locked here in the order of their key, so that no report deadlocks.
 */
export async function deleteProjectEnvironment(trx: Trx, project: string, environment: string): Promise<void> {
  await trx.batch(
    sql`
      with seen as (
        select feature_name, environment from feature_last_seen
        where environment = ${environment} and feature_name in (select name from features where project = ${project})
        order by feature_name
        for update
      )
      delete from feature_last_seen using seen
      where feature_last_seen.feature_name = seen.feature_name and feature_last_seen.environment = seen.environment`,
    sql`delete from feature_environments where project = ${project} and environment = ${environment}`,
    sql`delete from project_environments where project = ${project} and environment = ${environment}`,
    raiseVersions([project]),
  );
}

export function raiseVersions(projects: readonly string[]) {
  return sql`update features set version = version + 1 where project = any(${projects}::text[])`;
}

/** The segments of the strategies that the flags of projects have in an environment. */
export async function findSegmentsInUse(
  db: Kysely<FlagsTables>,
  projects: readonly string[],
  environment: string,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct use.segment_id as id
    from feature_environments fe
    join feature_strategies s on s.feature_name = fe.feature_name and s.environment = fe.environment
    join strategy_segments use on use.strategy_id = s.id
    where fe.environment = ${environment} and fe.project = any(${projects}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}
