import { lifecycleStages } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** A sender repeats a batch within minutes; an outage of a week is not survived in its memory. */
const keptDays = 7;
/** More than one, so that old batches become fewer. */
const deletedPerReport = 10;

/** False if the batch was reported before. Waits for a concurrent report of the same batch. */
export async function insertBatch(trx: Transaction<FlagsTables>, batchId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into usage_batches (batch_id) values (${batchId})
    on conflict on constraint usage_batches_pkey do nothing`.execute(trx);
  return numAffectedRows === 1n;
}

export function deleteOldBatches(trx: Transaction<FlagsTables>): void {
  trx.pipeline(sql`
    delete from usage_batches
    where batch_id in (
      select batch_id from usage_batches where received_at < now() - make_interval(days => ${keptDays})
      order by received_at limit ${deletedPerReport} for update skip locked
    )`);
}

export interface LastUse {
  featureName: string;
  environment: string;
  lastMoment: Date;
}

/**
 * Records that flags were evaluated: when they were last seen, and the stages `pre-live` and, where a flag is on in an
 * environment of the type production, `live`. A flag that is archived or not in the environment is ignored. It locks no
 * flag, and inserts in one order, so that two reports do not deadlock. A moment in the future is now.
 */
export function deferLastUses(trx: Transaction<FlagsTables>, uses: readonly LastUse[]): void {
  const stages = sql`${[...lifecycleStages]}::text[]`;
  trx.defer(sql`
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
    select feature_name, environment, moment from known order by feature_name, environment
    on conflict on constraint feature_last_seen_pkey do update set last_seen_at = excluded.last_seen_at
      where seen.last_seen_at < excluded.last_seen_at`);
}
