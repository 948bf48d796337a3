import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { ReadApplicationEnvironment } from './application.ts';

export interface ReadApplicationOverview {
  strategies: string[];
  projects: string[];
  featureCount: number;
  /** Those of its strategies that have a custom type. */
  customStrategies: string[];
}

/** What an application uses; null if there is no such application. */
export async function findApplicationUse(
  db: Kysely<FlagsTables>,
  name: string,
): Promise<ReadApplicationOverview | null> {
  const { rows } = await sql<ReadApplicationOverview>`
    select
      a.strategies,
      (select coalesce(json_agg(t.name), '[]') from strategy_types t where t.name = any(a.strategies)) as "customStrategies",
      coalesce(json_agg(distinct f.project) filter (where f.project is not null), '[]') as projects,
      count(distinct f.name)::integer as "featureCount"
    from applications a
    left join application_features u on u.application = a.name
    left join features f on f.name = u.feature_name
    where a.name = ${name}
    group by a.name`.execute(db);
  return rows[0] ?? null;
}

/** The environments in which an application has instances of the last day, or evaluated flags, by name. */
export async function findApplicationEnvironments(
  db: Kysely<FlagsTables>,
  name: string,
): Promise<ReadApplicationEnvironment[]> {
  const { rows } = await sql<ReadApplicationEnvironment>`
    with instances as (
      select environment, count(*)::integer as count, max(seen_at) as seen_at,
        json_agg(distinct sdk_version) filter (where sdk_version is not null) as sdks,
        json_agg(distinct sdk_version) filter (where sdk_version is not null and sdk_type = 'frontend') as frontend,
        json_agg(distinct sdk_version) filter (where sdk_version is not null and sdk_type = 'backend') as backend
      from application_instances
      where application = ${name} and seen_at > now() - interval '24 hours'
      group by environment
    ), uses as (
      select environment, max(seen_at) as seen_at from application_features where application = ${name}
      group by environment
    ), missing as (
      select environment, json_agg(feature_name order by feature_name) as names
      from unknown_flags u
      where application = ${name} and seen_at > now() - interval '24 hours'
        and not exists (select from features f where f.name = u.feature_name)
      group by environment
    )
    select
      environment as name, coalesce(i.count, 0) as "instanceCount", coalesce(i.sdks, '[]') as sdks,
      coalesce(i.frontend, '[]') as "frontendSdks", coalesce(i.backend, '[]') as "backendSdks",
      greatest(i.seen_at, u.seen_at) as "lastSeen", coalesce(m.names, '[]') as "missingFeatures"
    from instances i
    full join uses u using (environment)
    full join missing m using (environment)
    order by environment`.execute(db);
  return rows;
}

export interface InstanceRow {
  instanceId: string;
  sdkVersion: string | null;
  clientIp: string | null;
  lastSeen: Date;
}

/** The instances of the last day, the latest first. */
export async function findInstances(
  db: Kysely<FlagsTables>,
  { appName, environment }: { appName: string; environment: string },
  limit: number,
): Promise<InstanceRow[]> {
  const { rows } = await sql<InstanceRow>`
    select instance_id as "instanceId", sdk_version as "sdkVersion", address as "clientIp", seen_at as "lastSeen"
    from application_instances
    where environment = ${environment} and application = ${appName} and seen_at > now() - interval '24 hours'
    order by seen_at desc, instance_id
    limit ${limit}`.execute(db);
  return rows;
}
