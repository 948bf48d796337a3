import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { ReadApplicationDetail } from './application-detail.ts';
import { sdkVersionOf, usageOf } from './applications.repo.ts';

/** Null if there is no such application. `limit` bounds each list. */
export async function findApplicationDetail(
  db: Kysely<FlagsTables>,
  name: string,
  limit: number,
): Promise<ReadApplicationDetail | null> {
  const { rows } = await sql<{ detail: ReadApplicationDetail }>`
    select json_build_object(
      'appName', a.name, 'createdAt', a.created_at, 'strategies', a.strategies, 'description', a.description,
      'url', a.url, 'color', a.color, 'icon', a.icon, 'sdkVersion', ${sdkVersionOf}, 'usage', ${usageOf},
      'instances', (
        select coalesce(
          json_agg(
            json_build_object(
              'appName', a.name, 'environment', environment, 'instanceId', instance_id, 'sdkVersion', sdk_version,
              'sdkType', sdk_type, 'clientIp', address, 'lastSeen', seen_at, 'createdAt', created_at
            ) order by seen_at desc, environment, instance_id
          ), '[]')
        from (
          select * from application_instances i
          where i.application = a.name and i.seen_at > now() - interval '24 hours'
          order by i.seen_at desc, i.environment, i.instance_id limit ${limit}
        ) as recent
      ),
      'seenToggles', (
        select coalesce(
          json_agg(
            json_build_object(
              'name', name, 'project', project, 'type', type, 'description', description, 'stale', stale,
              'impressionData', impression_data, 'archived', archived_at is not null, 'createdAt', created_at
            ) order by name
          ), '[]')
        from (
          select f.* from features f
          where f.name in (select u.feature_name from application_features u where u.application = a.name)
          order by f.name limit ${limit}
        ) as seen
      )
    ) as detail
    from applications a where a.name = ${name}`.execute(db);
  return rows[0]?.detail ?? null;
}
