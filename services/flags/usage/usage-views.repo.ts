import type { getUsageSummary, UnknownFlag } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { FlagsTables } from '../db/schema.ts';

type Db = Kysely<FlagsTables>;
type UsageSummary = z.output<typeof getUsageSummary.output>;

/** A count as a number that readers of JSON have exactly. */
export const capped = (count: RawBuilder<unknown>) => sql`least(${count}, ${sql.lit(Number.MAX_SAFE_INTEGER)})`;

/** The sum of a column of `feature_usage`, 0 without rows, capped. */
export const total = (column: string) => capped(sql`coalesce(sum(${sql.ref(column)}), 0)`);

/** The rows of `feature_usage` of the last hour: it has begun less than an hour ago. */
export const isLastHour = sql`hour > now() - interval '1 hour'`;

/** That a row of `feature_usage` is of the flag `f` and not of an earlier one of its name. */
export const isOfFlag = sql`hour >= date_trunc('hour', f.created_at, 'UTC')`;

/** The rows of a flag in its environments. There may be others, of environments that its project has removed. */
const usageOf = (name: string) => sql`
  select u.* from feature_usage u
  join features f on f.name = u.feature_name
  join feature_environments fe on fe.feature_name = u.feature_name and fe.environment = u.environment
  where u.feature_name = ${name} and ${isOfFlag}`;

/**
 * The sums of the variants of rows of `feature_usage`, by name, for each group of rows that has any. One pass over the
 * rows: a subquery for each group would read all of them each time.
 */
const variantsBy = (rows: RawBuilder<unknown>, group: RawBuilder<unknown>) => sql`
  select ${group}, json_object_agg(name, count) as variants
  from (
    select ${group}, key as name, ${capped(sql`sum(value::numeric)`)} as count
    from ${rows} cross join jsonb_each_text(variants)
    group by ${group}, key
  ) as named
  group by ${group}`;

/** Null if there is no such flag. */
export async function findUsageSummary(db: Db, name: string): Promise<Omit<UsageSummary, 'maturity'> | null> {
  const { rows } = await sql<Omit<UsageSummary, 'maturity'>>`
    with last_hour as (
      ${usageOf(name)} and ${isLastHour}
    ), variants as (${variantsBy(sql`last_hour`, sql`environment`)})
    select f.name as "featureName", (
      select coalesce(json_agg(usage order by environment), '[]')
      from (
        select environment, timestamp, yes, no, coalesce(variants, '{}') as variants
        from (
          select environment, max(hour) as timestamp, ${total('yes')} as yes, ${total('no')} as no
          from last_hour group by environment
          limit 1000
        ) as counted left join variants using (environment)
      ) as usage
    ) as "lastHourUsage", (
      select coalesce(json_agg(usage order by environment), '[]')
      from (
        select environment, ${total('yes')} as yes, ${total('no')} as no
        from (${usageOf(name)}) as own group by environment
        limit 1000
      ) as usage
    ) as "totalUsage", (
      select coalesce(json_agg(application order by application), '[]')
      from (
        select distinct application from application_features where feature_name = ${name}
        order by application limit 1000
      ) as seen
    ) as "seenApplications"
    from features f where f.name = ${name}`.execute(db);
  if (!rows[0]) return null;
  const lastHourUsage = rows[0].lastHourUsage.map((usage) => ({ ...usage, timestamp: isoTime(usage.timestamp) }));
  return { ...rows[0], lastHourUsage };
}

/** Of a time within JSON of Postgres. */
function isoTime(text: string): string {
  return new Date(text).toISOString();
}

export interface UsageRowOfFeature {
  featureName: string;
  appName: string;
  environment: string;
  timestamp: Date;
  yes: number;
  no: number;
  variants: Record<string, number>;
}

/** The latest first, at most `limit`. */
export async function findUsageOfFeature(
  db: Db,
  { name, hoursBack, unit }: { name: string; hoursBack: number; unit: 'hour' | 'day' },
  limit: number,
): Promise<UsageRowOfFeature[]> {
  const { rows } = await sql<UsageRowOfFeature>`
    with usage as (
      select date_trunc(${unit}, hour, 'UTC') as begin, *
      from (${usageOf(name)} and hour > now() - make_interval(hours => ${hoursBack})) as own
    ), counted as (
      select begin, environment, application, ${total('yes')}::float8 as yes, ${total('no')}::float8 as no
      from usage
      group by begin, environment, application
      order by begin desc, environment, application
      limit ${limit}
    ), variants as (${variantsBy(sql`usage`, sql`begin, environment, application`)})
    select
      ${name}::text as "featureName", application as "appName", environment, begin as timestamp, yes, no,
      coalesce(variants, '{}') as variants
    from counted left join variants using (begin, environment, application)
    order by begin desc, environment, application`.execute(db);
  return rows;
}

/** The names of the last day that no flag has. */
export async function findUnknownFlags(db: Db, limit: number): Promise<UnknownFlag[]> {
  const { rows } = await sql<{ name: string; lastSeenAt: Date; reports: UnknownFlag['reports'] }>`
    with reported as (
      select * from unknown_flags u
      where seen_at > now() - interval '24 hours' and not exists (select from features f where f.name = u.feature_name)
    ), by_application as (
      select feature_name, max(seen_at) as seen_at, json_build_object(
        'appName', application,
        'environments', json_agg(
          json_build_object('environment', environment, 'seenAt', seen_at) order by environment
        )
      ) as report
      from reported group by feature_name, application
    )
    select feature_name as name, max(seen_at) as "lastSeenAt", json_agg(report order by report->>'appName') as reports
    from by_application
    group by feature_name
    order by max(seen_at) desc, feature_name
    limit ${limit}`.execute(db);
  return rows.map(({ name, lastSeenAt, reports }) => ({
    ...{ name, lastSeenAt: lastSeenAt.toISOString() },
    reports: reports.map(({ appName, environments }) => ({
      appName,
      environments: environments.map(({ environment, seenAt }) => ({ environment, seenAt: isoTime(seenAt) })),
    })),
  }));
}
