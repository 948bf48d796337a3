import type { Strategy, StrategyPlace } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

export interface StrategyOutline {
  id: string;
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

/** A strategy `s` with the names of the contract. */
export const strategyColumns = sql`
  s.id, s.name, s.title, s.disabled, s.feature_name as "featureName", s.sort_order as "sortOrder",
  ${segmentsOfStrategy} as segments, s.constraints, s.variants, s.parameters`;

/** A strategy with its size, as the limits count it. */
export const outlineColumns = sql`
  id, environment, disabled, sort_order as "sortOrder",
  octet_length(parameters::text) + octet_length(constraints::text) + octet_length(variants::text) as bytes`;

/** The strategies of a flag in their order, in one environment or in all. The caller has locked the flag's row. */
export async function findStrategies(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environment?: string,
): Promise<StrategyOutline[]> {
  const { rows } = await sql<StrategyOutline>`
    select ${outlineColumns} from feature_strategies
    where feature_name = ${featureName} and environment = coalesce(${environment ?? null}, environment)
    order by sort_order, id`.execute(trx);
  return rows;
}

/** The strategy, unless the flag has none with this id in the environment. The id is any text. */
export async function findStrategy(
  trx: Transaction<FlagsTables>,
  { featureName, environment, strategyId }: { featureName: string; environment: string; strategyId: string },
): Promise<Strategy | null> {
  const { rows } = await sql<Strategy>`
    select ${strategyColumns} from feature_strategies s
    where s.feature_name = ${featureName} and s.environment = ${environment} and s.id::text = ${strategyId}`.execute(
    trx,
  );
  return rows[0] ?? null;
}

/**
 * The strategies of a flag of the project in an environment, in their order. The environment is null when the flag is
 * not in it. Null when the project has no such flag.
 */
export async function findStrategiesIn(
  db: Kysely<FlagsTables>,
  { projectId, featureName, environment }: { projectId: string; featureName: string; environment: string },
): Promise<{ environment: string | null; strategies: Strategy[] } | null> {
  const { rows } = await sql<{ environment: string | null; strategies: Strategy[] }>`
    select fe.environment, (
      select coalesce(json_agg(strategy order by strategy."sortOrder", strategy.id), '[]') from (
        select ${strategyColumns} from feature_strategies s
        where s.feature_name = f.name and s.environment = ${environment}
      ) as strategy
    ) as strategies
    from features f
    left join feature_environments fe on fe.feature_name = f.name and fe.environment = ${environment}
    where f.name = ${featureName} and f.project = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

/** Where a strategy is, unless it does not exist. The id is any text. */
export async function findFeatureOfStrategy(
  db: Kysely<FlagsTables>,
  strategyId: string,
): Promise<{ featureName: string; project: string; environment: string } | null> {
  // Not `id::text`, which no index has.
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(strategyId)) return null;
  const { rows } = await sql<{ featureName: string; project: string; environment: string }>`
    select s.feature_name as "featureName", f.project, s.environment
    from feature_strategies s join features f on f.name = s.feature_name
    where s.id = ${strategyId}`.execute(db);
  return rows[0] ?? null;
}

/** The caller has locked the flag's row. The segments exist. */
export async function updateStrategyRow(trx: Transaction<FlagsTables>, strategy: Strategy): Promise<void> {
  await sql`
    with updated as (
      update feature_strategies set
        name = ${strategy.name}, title = ${strategy.title}, disabled = ${strategy.disabled},
        sort_order = ${strategy.sortOrder}, parameters = ${JSON.stringify(strategy.parameters)},
        constraints = ${JSON.stringify(strategy.constraints)}, variants = ${JSON.stringify(strategy.variants)}
      where id = ${strategy.id}
    ), removed as (
      delete from strategy_segments
      where strategy_id = ${strategy.id} and segment_id <> all(${strategy.segments}::integer[])
    )
    insert into strategy_segments (strategy_id, segment_id)
    select ${strategy.id}::uuid, segment_id from unnest(${strategy.segments}::integer[]) as segment_id
    on conflict on constraint strategy_segments_pkey do nothing`.execute(trx);
}

/** Deletes a strategy with its uses of segments. */
export async function deleteStrategyRow(trx: Transaction<FlagsTables>, id: string): Promise<void> {
  await trx.deleteFrom('feature_strategies').where('id', '=', id).execute();
}

export async function updateSortOrders(
  trx: Transaction<FlagsTables>,
  orders: readonly { id: string; sortOrder: number }[],
): Promise<void> {
  await sql`
    update feature_strategies s set sort_order = changed.sort_order
    from unnest(
      ${orders.map(({ id }) => id)}::uuid[], ${orders.map(({ sortOrder }) => sortOrder)}::integer[]
    ) as changed (id, sort_order)
    where s.id = changed.id`.execute(trx);
}

/**
 * Of the next strategies after an id, by id, those with a constraint on a context field, of flags that are not
 * archived. `last` is the id to continue after; null when none follow.
 */
export async function findStrategyPlaces(
  db: Kysely<FlagsTables>,
  {
    contextField,
    project,
    after,
    limit,
  }: { contextField: string; project: string | null; after: string; limit: number },
): Promise<{ places: StrategyPlace[]; last: string | null }> {
  // The position of the name in the text excludes most strategies before their JSON is parsed. Each flag is found by
  // its key: before Postgres knows how many flags a large import has made, its join compares all with each strategy.
  const { rows } = await sql<{ places: StrategyPlace[]; count: number; last: string | null }>`
    with next as materialized (
      select s.id, s.feature_name, s.name, s.environment, s.constraints from feature_strategies s
      where s.id > ${after}::uuid order by s.id limit ${limit}
    ), places as (
      select s.id, f.project as "projectId", s.feature_name as "featureName", s.name as "strategyName", s.environment
      from next s
      cross join lateral (
        select project from features
        where name = s.feature_name and archived_at is null and project = coalesce(${project}, project)
        offset 0
      ) as f
      where position(to_json(${contextField}::text)::text in s.constraints::text) > 0
        and exists (
          select from json_array_elements(s.constraints) as item where item->>'contextName' = ${contextField}
        )
    )
    select coalesce((select json_agg(places order by id) from places), '[]') as places,
      count(*)::integer as count, (array_agg(id order by id desc))[1] as last
    from next`.execute(db);
  const { places, count, last } = rows[0]!;
  return { places, last: count < limit ? null : last };
}
