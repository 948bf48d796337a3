import type { LifecycleTrend, listWeeklyTrends } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { FlagsTables } from '../../db/schema.ts';
import { stageRank } from '../../features/lifecycle/lifecycle.repo.ts';
import { capped, isOfFlag, total } from '../usage-views.repo.ts';

export type TrendPhase = 'develop' | 'production' | 'cleanup';

/** The median from when flags entered a phase, in days with one decimal. 0 without flags. */
const medianDays = (until: RawBuilder<unknown>, filter: RawBuilder<unknown>) => sql`coalesce(round((
  percentile_cont(0.5) within group (order by greatest(extract(epoch from ${until} - entered_at) / 86400, 0))
  filter (where ${filter}))::numeric, 1), 0)::float`;

/** A phase without flags now or before is missing. The stages initial and pre-live are one phase. */
export async function findPhases(
  db: Kysely<FlagsTables>,
  projects: readonly string[] | undefined,
): Promise<({ phase: TrendPhase } & LifecycleTrend)[]> {
  const ofProjects = projects === undefined ? sql`true` : sql`f.project = any(${projects}::text[])`;
  const ages = (types: RawBuilder<unknown>) => sql`json_build_object(
    'flagsOlderThanWeek', count(*) filter (where left_at is null and ${types} and not is_new),
    'newFlagsThisWeek', count(*) filter (where left_at is null and ${types} and is_new))`;
  const { rows } = await sql<{ phase: TrendPhase } & LifecycleTrend>`
    with phases as (
      select
        f.name, f.type, f.created_at > now() - interval '7 days' as is_new,
        min(l.entered_at) as entered_at, max(${stageRank}) as rank,
        case l.stage
          when 'live' then 'production' when 'completed' then 'cleanup' when 'archived' then null else 'develop'
        end as phase
      from feature_lifecycle l join features f on f.name = l.feature_name
      where ${ofProjects}
      group by f.name, 6
    ), spans as (
      select *, lead(entered_at) over (partition by name order by rank) as left_at from phases
    )
    select
      phase, count(*) filter (where left_at is null)::integer as "totalFlags",
      ${medianDays(sql`now()`, sql`left_at is null`)} as "medianDaysInCurrentStage",
      ${medianDays(sql`left_at`, sql`left_at is not null`)} as "medianDaysHistorically",
      json_build_object(
        'experimental', ${ages(sql`type = 'experiment'`)}, 'release', ${ages(sql`type = 'release'`)},
        'permanent', ${ages(sql`type not in ('experiment', 'release')`)}
      ) as categories
    from spans where phase is not null group by phase`.execute(db);
  return rows;
}

type WeeklyTrends = z.output<typeof listWeeklyTrends.output>;

/** The days are those of UTC, the last one included. */
export async function findWeeks(
  db: Kysely<FlagsTables>,
  { from, to }: { from: string; to: string },
): Promise<WeeklyTrends> {
  const isWithin = (column: RawBuilder<unknown>) => sql`
    ${column} >= ${from}::date::timestamp at time zone 'UTC'
    and ${column} < (${to}::date + 1)::timestamp at time zone 'UTC'`;
  const week = (column: RawBuilder<unknown>) => sql`date_trunc('week', ${column} at time zone 'UTC')`;
  /** The time is that of UTC without a zone. */
  const named = sql`
    'week', to_char(week, 'IYYY-IW'), 'project', project,
    'date', to_char(week + interval '7 days' - interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const { rows } = await sql<WeeklyTrends>`
    with usage as (
      select
        ${week(sql`u.hour`)} as week, f.project, ${total('u.yes')} as yes, ${total('u.no')} as no,
        count(distinct u.application) as apps, count(distinct u.feature_name) as flags,
        count(distinct u.environment) as environments
      from feature_usage u join features f on f.name = u.feature_name
      join feature_environments fe on fe.feature_name = u.feature_name and fe.environment = u.environment
      where ${isWithin(sql`u.hour`)} and ${isOfFlag} group by 1, 2
    ), production as (
      select ${week(sql`l.entered_at`)} as week, f.project, count(*) as flags
      from feature_lifecycle l join features f on f.name = l.feature_name
      where l.stage = 'live' and ${isWithin(sql`l.entered_at`)} group by 1, 2
    ), created as (
      select week, project, json_object_agg(type, count) as types
      from (
        select ${week(sql`created_at`)} as week, project, type, count(*) as count
        from features where ${isWithin(sql`created_at`)} group by 1, 2, 3
      ) as counted
      group by 1, 2
    ), archived as (
      select ${week(sql`archived_at`)} as week, project, count(*) as flags
      from features where ${isWithin(sql`archived_at`)} group by 1, 2
    )
    select (
      select coalesce(json_agg(json_build_object(
        ${named}, 'totalRequests', ${capped(sql`yes + no`)}, 'totalYes', yes, 'totalNo', no, 'totalApps', apps, 'totalFlags', flags,
        'totalEnvironments', environments) order by week, project), '[]')
      from usage
    ) as "metricsSummaryTrends", (
      select coalesce(json_agg(json_build_object(${named}, 'newProductionFlags', flags) order by week, project), '[]')
      from production
    ) as "lifecycleTrends", (
      select coalesce(json_agg(json_build_object(
        ${named}, 'createdFlags', coalesce(types, '{}'), 'archivedFlags', coalesce(flags, 0)
      ) order by week, project), '[]')
      from created full join archived using (week, project)
    ) as "creationArchiveTrends"`.execute(db);
  return rows[0]!;
}
