import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

type Trx = Transaction<FlagsTables>;

export interface Obstacles {
  environments: string[];
  segments: number[];
  hasDependencies: boolean;
  hasSameEnvironments: boolean;
  /** The name of a segment that the other project may not use; null without one. */
  otherSegment: string | null;
}

/**
 * What a move of a flag to another project depends on. The caller has locked the rows of both projects and the flag.
 */
export async function findObstacles(trx: Trx, featureName: string, newProject: string): Promise<Obstacles> {
  const { rows } = await sql<Obstacles>`
    with own as (
      select environment from feature_environments where feature_name = ${featureName}
    ), others as (
      select environment from project_environments where project = ${newProject}
    ), used as (
      select distinct segment.id, segment.name, segment.project
      from feature_strategies s join strategy_segments use on use.strategy_id = s.id
      join segments segment on segment.id = use.segment_id
      where s.feature_name = ${featureName}
    )
    select
      (select coalesce(json_agg(environment order by environment), '[]') from own) as environments,
      (select coalesce(json_agg(id order by id), '[]') from used) as segments,
      exists (select from feature_dependencies where ${featureName} in (parent, child)) as "hasDependencies",
      not exists ((table own except table others) union all (table others except table own)) as "hasSameEnvironments",
      (select min(name) from used where project <> ${newProject}) as "otherSegment"`.execute(trx);
  return rows[0]!;
}

/** A foreign key updates the project of the flag's environments. */
export async function updateProjectOfFeature(trx: Trx, featureName: string, project: string): Promise<void> {
  await trx.updateTable('features').set({ project }).where('name', '=', featureName).execute();
}
