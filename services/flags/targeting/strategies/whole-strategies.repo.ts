import { pieceLimits, piecesOf } from '@yardarm/shared/bus';
import type { Strategy } from '@yardarm/shared/contracts/flags';
import { hidden, type Kysely, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { outlineColumns, type StrategyOutline, strategyColumns } from './strategies.repo.ts';

/** A strategy with all its properties and its environment. */
export interface WholeStrategy extends Strategy {
  environment: string;
}

/** The strategies of a flag in all its environments, in their order. */
export async function findWholeStrategies(db: Kysely<FlagsTables>, featureName: string): Promise<WholeStrategy[]> {
  const { rows } = await sql<WholeStrategy>`
    select ${strategyColumns}, s.environment
    from feature_strategies s where s.feature_name = ${featureName}
    order by s.environment, s.sort_order, s.id`.execute(db);
  return rows;
}

/**
 * Inserts strategies of any flags with their ids and segments, in few statements. The segments exist: a foreign key
 * guarantees it until the commit. The caller has locked the flags' rows.
 */
export async function insertStrategies(
  trx: Transaction<FlagsTables>,
  strategies: readonly WholeStrategy[],
): Promise<void> {
  const texts = strategies.values().map((strategy) => JSON.stringify(strategy));
  for (const rows of piecesOf(texts, pieceLimits, Buffer.byteLength)) {
    await prepared('insert-strategies')`
    with strategy as (
      select * from unnest(${rows}::json[]) as whole cross join lateral json_to_record(whole) as (
        id uuid, "featureName" text, environment text, name text, title text, disabled boolean, "sortOrder" integer,
        parameters json, constraints json, variants json, segments json
      )
    ), inserted as (
      insert into feature_strategies (
        id, feature_name, environment, name, title, disabled, sort_order, parameters, constraints, variants)
      select
        id, "featureName", environment, name, title, disabled, "sortOrder", parameters, constraints, variants
      from strategy
    )
    insert into strategy_segments (strategy_id, segment_id)
    select id, segment::integer from strategy cross join lateral json_array_elements_text(segments) as segment`.execute(
      trx,
    );
  }
}

/** The strategies of flags in all their environments. The caller has locked the flags' rows. */
export async function findStrategyOutlines(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
): Promise<(StrategyOutline & { featureName: string })[]> {
  const { rows } = await prepared('find-strategy-outlines')<StrategyOutline & { featureName: string }>`
    select ${outlineColumns}, feature_name as "featureName" from feature_strategies
    where feature_name = any(${hidden(sql`${featureNames}::text[]`)}::text[])`.execute(trx);
  return rows;
}

/** The size of the variants of flags over all environments, by flag. */
export async function findVariantBytes(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await prepared('find-variant-bytes')<{ name: string; bytes: number }>`
    select feature_name as name, sum(variant_bytes)::integer as bytes
    from feature_environments where feature_name = any(${hidden(sql`${featureNames}::text[]`)}::text[])
    group by feature_name`.execute(trx);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/**
 * Enables the disabled strategies of flags, of each in one environment, and returns them. The rows of the flags are
 * locked.
 */
export async function activateStrategies(
  trx: Transaction<FlagsTables>,
  places: readonly { featureName: string; environment: string }[],
): Promise<Strategy[]> {
  if (places.length === 0) return [];
  const { rows } = await sql<Strategy>`
    update feature_strategies s set disabled = false
    from unnest(
      ${places.map(({ featureName }) => featureName)}::text[], ${places.map(({ environment }) => environment)}::text[]
    ) as place (feature_name, environment)
    where s.feature_name = place.feature_name and s.environment = place.environment and s.disabled
    returning ${strategyColumns}`.execute(trx);
  return rows;
}
