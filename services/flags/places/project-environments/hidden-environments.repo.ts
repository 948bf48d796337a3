import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { segmentsOfStrategy } from '../../targeting/strategies/strategies.repo.ts';
import type { HiddenCounts } from './project-environment.ts';

type Trx = Transaction<FlagsTables>;

/**
 * Keeps the strategies and variants that the flags of a project have in an environment, in place of what was kept
 * before. The caller has locked the rows of the flags, and then deletes the environment from the project.
 */
export async function hideEnvironmentOfFeatures(trx: Trx, project: string, environment: string): Promise<HiddenCounts> {
  await sql`
    delete from hidden_feature_environments
    where environment = ${environment} and feature_name in (select name from features where project = ${project})`.execute(
    trx,
  );
  const { rows } = await sql<HiddenCounts>`
    with hidden as (
      insert into hidden_feature_environments (feature_name, environment, variants, strategies)
      select feature_name, environment, variants, strategies
      from (
        select fe.feature_name, fe.environment, fe.variants, (
          select coalesce(json_agg(strategy), '[]') from (
            select s.id, s.name, s.title, s.disabled, s.sort_order, s.parameters, s.constraints, s.variants,
              ${segmentsOfStrategy} as segments
            from feature_strategies s
            where s.feature_name = fe.feature_name and s.environment = fe.environment
          ) as strategy
        ) as strategies
        from feature_environments fe where fe.project = ${project} and fe.environment = ${environment}
      ) as present
      where json_array_length(variants) + json_array_length(strategies) > 0
      returning strategies
    )
    select count(*)::integer as features, coalesce(sum(json_array_length(strategies)), 0)::integer as strategies
    from hidden`.execute(trx);
  return rows[0]!;
}

/** What hidden strategies in an environment of a project refer to. The caller has locked the rows of the flags. */
export async function findHiddenReferences(
  trx: Trx,
  project: string,
  environment: string,
): Promise<{ types: string[]; segments: number[] }> {
  const { rows } = await sql<{ types: string[]; segments: number[] }>`
    with strategies as (
      select strategy.name, strategy.segments
      from hidden_feature_environments h join features f on f.name = h.feature_name
        cross join json_to_recordset(h.strategies) as strategy (name text, segments json)
      where f.project = ${project} and h.environment = ${environment}
    )
    select
      array(select distinct name from strategies) as types,
      array(
        select distinct id::integer from strategies cross join json_array_elements_text(segments) as segment (id)
      ) as segments`.execute(trx);
  return rows[0]!;
}

/**
 * Gives the flags of a project back what they had in an environment that it has again. A strategy with another segment
 * than the usable ones is disabled: without the segment it would be on for others too. So is one of another type than
 * the known ones, which no SDK evaluates. The caller has inserted the environment of the flags, whose rows it has
 * locked, and has locked what is usable.
 */
export async function restoreEnvironmentOfFeatures(
  trx: Trx,
  { project, environment }: { project: string; environment: string },
  usable: { types: readonly string[]; segments: readonly number[] },
): Promise<HiddenCounts> {
  const { rows } = await sql<HiddenCounts>`
    with hidden as (
      delete from hidden_feature_environments h using features f
      where f.name = h.feature_name and f.project = ${project} and h.environment = ${environment}
      returning h.feature_name, h.variants, h.strategies
    ), varied as (
      update feature_environments fe set variants = hidden.variants from hidden
      where fe.feature_name = hidden.feature_name and fe.environment = ${environment}
    ), strategies as (
      select hidden.feature_name, strategy.*
      from hidden cross join json_to_recordset(hidden.strategies) as strategy (
        id uuid, name text, title text, disabled boolean, sort_order integer,
        parameters json, constraints json, variants json, segments json
      )
    ), uses as (
      select strategies.id as strategy_id, named.id::integer as segment_id
      from strategies cross join json_array_elements_text(strategies.segments) as named (id)
      where named.id::integer = any(${[...usable.segments]}::integer[])
    ), inserted as (
      insert into feature_strategies
        (id, feature_name, environment, name, title, disabled, sort_order, parameters, constraints, variants)
      select id, feature_name, ${environment}, name, title,
        disabled or name <> all(${[...usable.types]}::text[])
          or json_array_length(segments) > (select count(*) from uses where strategy_id = strategies.id),
        sort_order, parameters, constraints, variants
      from strategies
    ), used as (
      insert into strategy_segments (strategy_id, segment_id) select strategy_id, segment_id from uses
    )
    select
      (select count(*)::integer from hidden) as features, (select count(*)::integer from strategies) as strategies`.execute(
    trx,
  );
  return rows[0]!;
}

/**
 * Forgets what a flag had in environments that its project removed: it belongs to that project, and the flag moves to
 * another one. Returns the number of strategies by environment. The caller has locked the flag's row.
 */
export async function deleteHidden(trx: Trx, featureName: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ environment: string; strategies: number }>`
    delete from hidden_feature_environments where feature_name = ${featureName}
    returning environment, json_array_length(strategies) as strategies`.execute(trx);
  return Object.fromEntries(rows.map(({ environment, strategies }) => [environment, strategies]));
}
