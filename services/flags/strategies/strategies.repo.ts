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

export async function insertStrategy(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environment: string,
  strategy: SortedStrategy,
): Promise<Strategy> {
  const { id } = await trx
    .insertInto('feature_strategies')
    .values({
      feature_name: featureName,
      environment,
      name: strategy.name,
      title: strategy.title,
      disabled: strategy.disabled,
      sort_order: strategy.sortOrder,
      parameters: JSON.stringify(strategy.parameters),
      constraints: JSON.stringify(strategy.constraints),
      variants: JSON.stringify(strategy.variants),
      segments: strategy.segments,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...strategy, id, featureName };
}
