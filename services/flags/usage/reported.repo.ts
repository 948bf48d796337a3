// What reports of usage write of applications. Reports run one after another.
import type { UsageInstance } from '@yardarm/shared/contracts/flags';
import { prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { boundedPerEnvironment } from './bounded.repo.ts';
import { otherApplications, type UsageBounds } from './usage.ts';

type Trx = Transaction<FlagsTables>;

/** Inserts the application for counts beyond the bound. It is in the room of no environment. */
export async function insertOtherApplications(trx: Trx): Promise<void> {
  await sql`
    insert into applications as a (name, seen_at) values (${otherApplications}, now())
    on conflict on constraint applications_pkey do update set seen_at = now()
    where a.seen_at is null or a.seen_at < now() - interval '1 hour'`.execute(trx);
}

/** Inserts SDK versions that are new to their application, up to the bound per application. Returns these. */
export async function insertSdks(
  trx: Trx,
  sdks: readonly { application: string; sdkVersion: string }[],
  { sdks: bound }: UsageBounds,
): Promise<{ application: string; sdkVersion: string }[]> {
  if (sdks.length === 0) return [];
  const { rows } = await prepared('insert-sdks')<{ application: string; sdkVersion: string }>`
    with fresh as (
      select sent.*, row_number() over (partition by sent.application order by sent.sdk_version) as place
      from unnest(
        ${sdks.map(({ application }) => application)}::text[], ${sdks.map(({ sdkVersion }) => sdkVersion)}::text[]
      ) as sent (application, sdk_version)
      join applications a on a.name = sent.application
      where not exists (
        select from application_sdks s where s.application = sent.application and s.sdk_version = sent.sdk_version
      )
    )
    insert into application_sdks (application, sdk_version)
    select application, sdk_version from fresh
    where place <= ${bound} - (select count(*) from application_sdks s where s.application = fresh.application)
    order by application, sdk_version
    on conflict on constraint application_sdks_pkey do nothing
    returning application, sdk_version as "sdkVersion"`.execute(trx);
  return rows;
}

/** Updates when instances reported, and inserts those that are not known, up to the bound per environment. */
export function deferInstances(trx: Trx, instances: readonly UsageInstance[], { instances: bound }: UsageBounds): void {
  if (instances.length === 0) return;
  trx.defer(
    prepared('store-instances')`
    with sent as (
      select distinct on (sent.environment, sent.application, sent."instanceId") sent.*, known.instance_id is null as is_new
      from json_to_recordset(${JSON.stringify(instances)}::json) as sent (
        environment text, application text, "instanceId" text, "sdkVersion" text, "sdkType" text, address text,
        "lastMoment" timestamptz)
      join environments e on e.name = sent.environment
      join applications a on a.name = sent.application
      left join application_instances known on known.environment = sent.environment
        and known.application = sent.application and known.instance_id = sent."instanceId"
      order by sent.environment, sent.application, sent."instanceId", sent."sdkVersion" nulls last
    ), ${boundedPerEnvironment('sent', 'application_instances', bound)}
    insert into application_instances as stored (
      environment, application, instance_id, sdk_version, sdk_type, address, seen_at, created_at)
    select environment, application, "instanceId", "sdkVersion", "sdkType", address,
      least("lastMoment", now()), least("lastMoment", now())
    from bounded
    on conflict on constraint application_instances_pkey do update set
      sdk_version = coalesce(excluded.sdk_version, stored.sdk_version),
      sdk_type = coalesce(excluded.sdk_type, stored.sdk_type),
      address = coalesce(excluded.address, stored.address),
      seen_at = greatest(excluded.seen_at, stored.seen_at)`,
  );
}
