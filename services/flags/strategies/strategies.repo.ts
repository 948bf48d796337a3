import type { Strategy } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { SortedStrategy } from './strategy.ts';

export interface StrategyOutline {
  environment: string;
  disabled: boolean;
  sortOrder: number;
  bytes: number;
}

/** The ids of the segments of a strategy `s` as JSON, for statements that build strategies. */
export const segmentsOfStrategy = sql`(
  select coalesce(json_agg(use.segment_id order by use.segment_id), '[]')
  from strategy_segments use where use.strategy_id = s.id
)`;

/** The strategies of a flag, in one environment or in all. The caller has locked the flag's row. */
export async function findStrategies(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environment?: string,
): Promise<StrategyOutline[]> {
  const { rows } = await sql<StrategyOutline>`
    select
      environment, disabled, sort_order as "sortOrder",
      octet_length(parameters::text) + octet_length(constraints::text) + octet_length(variants::text) as bytes
    from feature_strategies
    where feature_name = ${featureName} and environment = coalesce(${environment ?? null}, environment)`.execute(trx);
  return rows;
}

/** Inserts a strategy with its segments, which exist: a foreign key guarantees it until the commit. */
export async function insertStrategy(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environment: string,
  strategy: SortedStrategy,
): Promise<Strategy> {
  const { rows } = await sql<{ id: string }>`
    with inserted as (
      insert into feature_strategies (
        feature_name, environment, name, title, disabled, sort_order, parameters, constraints, variants)
      values (
        ${featureName}, ${environment}, ${strategy.name}, ${strategy.title}, ${strategy.disabled}, ${strategy.sortOrder},
        ${JSON.stringify(strategy.parameters)}, ${JSON.stringify(strategy.constraints)},
        ${JSON.stringify(strategy.variants)})
      returning id
    ), segments as (
      insert into strategy_segments (strategy_id, segment_id)
      select id, segment_id from inserted cross join unnest(${strategy.segments}::integer[]) as segment_id
    )
    select id from inserted`.execute(trx);
  return { ...strategy, id: rows[0]!.id, featureName };
}
