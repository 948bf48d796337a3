import { lifecycleStages } from '@yardarm/shared/contracts/flags';
import { prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { boundedPerEnvironment } from './bounded.repo.ts';
import { type HourlyUsage, type LastUse, maxVariants, type UsageBounds } from './usage.ts';

type Trx = Transaction<FlagsTables>;

/** A sender repeats a batch within minutes; an outage of a week is not survived in its memory. */
const keptDays = 7;
/** More than one, so that old batches become fewer. */
const deletedPerReport = 10;

const lockReports = sql`select pg_advisory_xact_lock(hashtext('reports of usage'))`;

/**
 * False if the batch was reported before. Reports run one after another, so that they do not exceed the bounds together
 * and do not deadlock.
 */
export async function insertBatch(trx: Trx, batchId: string): Promise<boolean> {
  const [, inserted] = await trx.batch(
    lockReports,
    prepared('insert-usage-batch')<{ id: string }>`
      insert into usage_batches (batch_id) values (${batchId})
      on conflict on constraint usage_batches_pkey do nothing
      returning batch_id as id`,
  );
  return inserted.length === 1;
}

/**
 * Deletes which applications use a project's flags in an environment, and ends the reports of these flags there. No
 * report runs until the commit, and a later one finds that the flags are not in the environment. The caller has locked
 * the flags and deletes `feature_environments` afterwards. It deletes the counts after the commit (`deleteLeftUsage`).
 */
export async function endUsageOfFlags(trx: Trx, project: string, environment: string): Promise<void> {
  await trx.batch(
    lockReports,
    sql`
      delete from application_features
      where environment = ${environment} and feature_name in (select name from features where project = ${project})`,
  );
}

/** Deletes what reports stored of a deleted environment beside flags. No report runs until the commit. */
export async function deleteUsageOfEnvironment(trx: Trx, environment: string): Promise<void> {
  await trx.batch(
    lockReports,
    sql`delete from application_instances where environment = ${environment}`,
    sql`delete from unknown_flags where environment = ${environment}`,
  );
}

export function deleteOldBatches(trx: Trx): void {
  trx.pipeline(
    prepared('delete-old-usage-batches')`
    delete from usage_batches
    where batch_id in (
      select batch_id from usage_batches where received_at < now() - make_interval(days => ${keptDays})
      order by received_at limit ${deletedPerReport} for update skip locked
    )`,
  );
}

/** The largest number that every reader of JSON has exactly. */
const maxCount = sql.lit(Number.MAX_SAFE_INTEGER);

/**
 * Adds the counts of flags in the environments that they are in, and records which applications evaluate them, to the
 * hour. Names of no flag are recorded up to the bound per environment. Applications that are not stored are ignored.
 */
export function deferHourlyUsage(
  trx: Trx,
  rows: readonly HourlyUsage[],
  { unknownFlags: bound }: Pick<UsageBounds, 'unknownFlags'>,
): void {
  if (rows.length === 0) return;
  trx.defer(
    prepared('add-hourly-usage')`
    with sent as materialized (
      select sent."featureName" as feature_name, sent.environment, sent.application, hour, yes, no, sent.variants,
        f.name is null as is_unknown, fe.feature_name is not null as is_known
      from json_to_recordset(${JSON.stringify(rows)}::json) as sent (
        "featureName" text, environment text, application text, hour timestamptz, yes bigint, no bigint, variants jsonb)
      join environments e on e.name = sent.environment
      join applications a on a.name = sent.application
      left join features f on f.name = sent."featureName"
      left join feature_environments fe on fe.feature_name = f.name and fe.environment = e.name
    ), uses as (
      insert into application_features as stored (application, environment, feature_name, seen_at)
      select distinct application, environment, feature_name, now() from sent
      where is_known and not exists (
        select from application_features u
        where u.application = sent.application and u.environment = sent.environment
          and u.feature_name = sent.feature_name and u.seen_at > now() - interval '1 hour'
      )
      on conflict on constraint application_features_pkey do update set seen_at = excluded.seen_at
    ), unknown as (
      select distinct sent.environment, sent.feature_name, sent.application, known.application is null as is_new
      from sent left join unknown_flags known using (environment, feature_name, application)
      where is_unknown
    ), ${boundedPerEnvironment('unknown', 'unknown_flags', bound)}, reported as (
      insert into unknown_flags as stored (environment, feature_name, application, seen_at)
      select environment, feature_name, application, now() from bounded
      on conflict on constraint unknown_flags_pkey do update set seen_at = excluded.seen_at
    )
    insert into feature_usage as stored (feature_name, environment, application, hour, yes, no, variants)
    select feature_name, environment, application, hour, yes, no, variants from sent
    where is_known
    order by feature_name, environment, application, hour
    on conflict on constraint feature_usage_pkey do update set
      yes = least(stored.yes + excluded.yes, ${maxCount}),
      no = least(stored.no + excluded.no, ${maxCount}),
      variants = case when excluded.variants = '{}' then stored.variants else (
        select jsonb_object_agg(name, count)
        from (
          select key as name, least(sum(value::numeric), ${maxCount}) as count
          from (
            select * from jsonb_each_text(stored.variants) union all select * from jsonb_each_text(excluded.variants)
          ) as each
          group by key
          -- Of invented names the frequent ones stay.
          order by count desc, key
          limit ${sql.lit(maxVariants)}
        ) as summed
      ) end`,
  );
}

/**
 * Records that flags were evaluated: when they were last seen, exact to a minute, and the stages `pre-live` and, where
 * a flag is on in an environment of the type production, `live`. A flag that is archived or not in the environment is
 * ignored. It locks no flag. A moment in the future is now.
 */
export function deferLastUses(trx: Trx, uses: readonly LastUse[]): void {
  if (uses.length === 0) return;
  const stages = sql`${[...lifecycleStages]}::text[]`;
  trx.defer(
    prepared('store-last-uses')`
    with known as (
      select use.feature_name, use.environment, least(use.moment, now()) as moment,
        e.type = 'production' and fe.enabled as is_live
      from unnest(
        ${uses.map(({ featureName }) => featureName)}::text[], ${uses.map(({ environment }) => environment)}::text[],
        ${uses.map(({ lastMoment }) => lastMoment)}::timestamptz[]
      ) as use (feature_name, environment, moment)
      join features f on f.name = use.feature_name and f.archived_at is null
      join feature_environments fe on fe.feature_name = use.feature_name and fe.environment = use.environment
      join environments e on e.name = use.environment
    ), reached as (
      select feature_name, case when bool_or(is_live) then 'live' else 'pre-live' end as stage
      from known group by feature_name
    ), stages as (
      insert into feature_lifecycle (feature_name, stage)
      select feature_name, stage from reached
      where not exists (
        select from feature_lifecycle entered
        where entered.feature_name = reached.feature_name
          and array_position(${stages}, entered.stage) >= array_position(${stages}, reached.stage)
      )
      order by feature_name
      on conflict on constraint feature_lifecycle_pkey do nothing
    )
    insert into feature_last_seen as seen (feature_name, environment, last_seen_at)
    select feature_name, environment, moment from known
    where not exists (
      select from feature_last_seen s
      where s.feature_name = known.feature_name and s.environment = known.environment
        and s.last_seen_at > known.moment - interval '1 minute'
    )
    order by feature_name, environment
    on conflict on constraint feature_last_seen_pkey do update set last_seen_at = excluded.last_seen_at
      where seen.last_seen_at < excluded.last_seen_at`,
  );
}
