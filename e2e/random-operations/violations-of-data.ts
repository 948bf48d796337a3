import type { FlagsSystem } from './flags-system.ts';

/** Each statement returns rows that must not exist. */
const forbidden: Readonly<Record<string, string>> = {
  'variants of a flag whose weights do not sum to 1000': `
    select feature_name, environment from flags.feature_environments
    where json_array_length(variants) > 0
      and (select sum((variant ->> 'weight')::integer) from json_array_elements(variants) as variant) <> 1000`,
  'variants of a strategy whose weights do not sum to 1000': `
    select feature_name, id from flags.feature_strategies
    where json_array_length(variants) > 0
      and (select sum((variant ->> 'weight')::integer) from json_array_elements(variants) as variant) <> 1000`,
  'strategies with a segment that does not exist, or is of another project': `
    select use.* from flags.strategy_segments use
    left join flags.segments segment on segment.id = use.segment_id
    left join flags.feature_strategies strategy on strategy.id = use.strategy_id
    left join flags.features feature on feature.name = strategy.feature_name
    where feature.name is null or segment.id is null or segment.project <> feature.project`,
  'segments that readers have and no enabled strategy uses, or the reverse': `
    (
      select environment, project, segment_id from flags.segment_revisions where is_used
      except ${usedSegments()}
    ) union all (
      ${usedSegments()}
      except select environment, project, segment_id from flags.segment_revisions where is_used
    )`,
  'flags that depend on a flag that depends on another, or on one that is archived or elsewhere': `
    select own.* from flags.feature_dependencies own
    join flags.features child on child.name = own.child join flags.features parent on parent.name = own.parent
    where own.parent in (select child from flags.feature_dependencies)
      or parent.archived_at is not null or child.archived_at is not null or child.project <> parent.project`,
  'places whose size is not the sum of their flags and segments': `
    with summed as (
      select environment, project, sum(bytes + (
        select coalesce(sum(s.bytes), 0) from unnest(fe.segment_ids) as used (id) join flags.segments s on s.id = used.id
      )) as bytes
      from flags.feature_environments fe group by environment, project
    )
    select environment, project, revisions.bytes as stored, summed.bytes as counted
    from flags.revisions left join summed using (environment, project)
    where revisions.bytes <> coalesce(summed.bytes, 0)`,
  'flags whose counted segments are not those of their enabled strategies': `
    with counted as (
      select feature_name, environment, array(select unnest(segment_ids) order by 1) as counted, array(
        select use.segment_id from flags.feature_strategies s join flags.strategy_segments use on use.strategy_id = s.id
        where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled order by 1
      ) as used
      from flags.feature_environments fe
    )
    select * from counted where counted <> used`,
  'flags whose environments are not those of their project': `
    select f.name, places.environment from flags.features f
    join flags.project_environments places on places.project = f.project
    where not exists (
      select from flags.feature_environments fe where fe.feature_name = f.name and fe.environment = places.environment
    )
    union all
    select feature_name, environment from flags.feature_environments fe
    where (project, environment) not in (select project, environment from flags.project_environments)`,
};

function usedSegments(): string {
  return `
    select fe.environment, fe.project, use.segment_id from flags.strategy_segments use
    join flags.feature_strategies strategy on strategy.id = use.strategy_id
    join flags.feature_environments fe using (feature_name, environment)
    join flags.features feature on feature.name = strategy.feature_name
    where not strategy.disabled`;
}

/** What the tables have that no order of requests may leave. */
export async function violationsOfData({ database }: Pick<FlagsSystem, 'database'>): Promise<string[]> {
  const violations: string[] = [];
  for (const [violation, statement] of Object.entries(forbidden)) {
    const rows = await database.rows(statement);
    if (rows.length > 0) violations.push(`${violation}: ${JSON.stringify(rows)}`);
  }
  return violations;
}
