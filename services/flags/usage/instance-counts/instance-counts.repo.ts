import type { FlagsCounts } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** Applications that have reported since a time. */
const applicationsSince = (days: number) =>
  sql`(select count(*)::integer from applications where seen_at > now() - make_interval(days => ${days}::integer))`;

/**
 * The types of strategies are those that users have made. It reads the strategies three times: reading them once for
 * all three takes four times as long, because they are copied to the disk and read by one process. Numbers of rows are
 * those of an index, in whose order Postgres counts the strategies of each flag and environment. Grouped by a hash, the
 * strategies of 100,000 flags would be copied to the disk.
 */
export async function findCounts(db: Kysely<FlagsTables>): Promise<Omit<FlagsCounts, 'instanceId'>> {
  const { rows } = await sql<Omit<FlagsCounts, 'instanceId'>>`
    with yesterday as (
      select date_trunc('day', now(), 'UTC') - interval '1 day' as day
    ), buckets as (
      select variants from feature_usage, yesterday where hour >= day and hour < day + interval '1 day'
    )
    select
      flags.active as "featureToggles", flags.archived as "archivedFeatureToggles",
      (select count(*)::integer from projects where archived_at is null) as projects,
      (select count(*)::integer from environments) as environments,
      array(select name from environments where type = 'production' order by name) as "productionEnvironments",
      (select count(*)::integer from context_fields) as "contextFields",
      (select count(*)::integer from segments) as segments,
      (select count(*)::integer from strategy_types) as strategies,
      json_build_array(
        json_build_object('range', 'allTime', 'count', (select count(*)::integer from applications)),
        json_build_object('range', '30d', 'count', ${applicationsSince(30)}),
        json_build_object('range', '7d', 'count', ${applicationsSince(7)})
      ) as "clientApps",
      json_build_object(
        'enabledCount', (select count(*)::integer from buckets),
        'variantCount', (select count(*)::integer from buckets where variants <> '{}')
      ) as "previousDayMetricsBucketsCount",
      (
        select coalesce(max(number), 0)::integer
        from (
          select row_number() over (partition by feature_name, environment order by sort_order) as number
          from feature_strategies
        ) as numbered
      ) as "maxEnvironmentStrategies",
      (select coalesce(max(json_array_length(constraints)), 0) from feature_strategies) as "maxConstraints",
      (
        select coalesce(max(json_array_length(constraint_ -> 'values')), 0)
        from feature_strategies cross join json_array_elements(constraints) as constraint_
      ) as "maxConstraintValues"
    from (
      select count(*) filter (where archived_at is null)::integer as active, count(archived_at)::integer as archived
      from features
    ) as flags`.execute(db);
  return rows[0]!;
}
