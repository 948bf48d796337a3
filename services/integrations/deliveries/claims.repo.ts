import { type Kysely, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import type { Progress } from '../providers/provider.ts';
import { isDelivery } from './is-delivery.ts';

export interface ClaimedDelivery {
  integrationId: number;
  eventId: number;
  claim: string;
  attempt: number;
  /** The attempt's number in the schedule of retries, which redelivery restarts. */
  scheduled: number;
  /** The targets that earlier attempts reached, for a delivery with several targets. */
  progress: Progress | null;
  /** Null if the event is large; a send then loads it. */
  eventJson: string | null;
  eventBytes: number;
  traceparent: string | null;
  epoch: string | null;
  /** More deliveries were due than this claim took. */
  hasMore: boolean;
}

/** The limits of one claim. */
export interface ClaimLimits {
  /** Claims at once over all replicas. */
  maxInFlight: number;
  /** The same if all of them are this dispatcher's, so that it alone decides how many sends run at once. */
  maxOwned: number;
  /** The claims that this dispatcher has now. */
  owned: number;
  maxClaims: number;
  claimMs: number;
}

/**
 * The number of untried deliveries, and of retries, that one claim reads. The oldest untried delivery waits only for
 * deliveries in flight, so one of them can always be claimed. If one flag has this many untried deliveries, the ones
 * behind them wait until some are settled.
 */
const claimWindow = sql.lit(200);

/**
 * The bytes of an event that is claimed with its text. Most have 1 to 3 kB. An integration may have 64 claims that wait
 * for their sends.
 */
const maxClaimedBytes = sql.lit(8_192);

/**
 * Claims due deliveries of a locked integration. It claims only the oldest untried delivery of an ordering key. It
 * reads the oldest untried deliveries, so every earlier one of the same key is among them. The previous attempt moves
 * to delivery_attempts; an attempt without an end is recorded as interrupted. The renewal of a claim does not lock the
 * integration, so the update checks `claimed_until` again.
 */
export async function claimDue(
  trx: Transaction<IntegrationsTables>,
  { id: integrationId, fromEventId }: Pick<StoredIntegration, 'id' | 'fromEventId'>,
  { maxInFlight, maxOwned, owned, maxClaims, claimMs }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const { rows } = await prepared('claim-due-deliveries')<ClaimedDelivery>`
    with unfinished as not materialized (
      select *, state = 'sending' and claimed_until > now() as is_in_flight from deliveries
      where integration_id = ${integrationId} and is_unfinished and (event_id > ${fromEventId} or is_redelivery)
    ), untried as (
      select * from unfinished where outcome_id is null order by event_id limit ${claimWindow}
    ), retries as (
      select * from unfinished where outcome_id is not null and next_attempt_at <= now()
      order by next_attempt_at, event_id limit ${claimWindow}
    ), due as (
      select event_id, is_in_flight, ordering_key is null
        or row_number() over (partition by ordering_key order by event_id) = 1 as is_first
      from untried
      union all
      select event_id, is_in_flight, true from retries
    ), free as (
      select event_id from due where is_first and not is_in_flight order by event_id
      limit (
        select least(${maxClaims}::bigint, greatest(0,
          case count(*) when ${owned}::bigint then ${maxOwned}::bigint else ${maxInFlight}::bigint end - count(*)))
        from due where is_in_flight)
    ), before as (
      select earlier.* from free cross join lateral (
        select event_id, started_at, duration_ms, status, error_code, response_body, claimed_until from deliveries
        where integration_id = ${integrationId} and event_id = free.event_id offset 0
      ) as earlier
    ), claimed as (
      update deliveries d set state = 'sending', attempts = d.attempts + 1, claim = gen_random_uuid(),
        claimed_until = clock_timestamp() + ${claimMs} * interval '1 millisecond',
        started_at = null, duration_ms = null, status = null, error_code = null, response_body = null
      from before
      where ${isDelivery('d', integrationId, 'before')} and (d.state <> 'sending' or d.claimed_until <= now())
      returning d.event_id, d.claim, d.attempts, d.attempts - d.scheduled_from as scheduled, d.progress,
        before.started_at, before.duration_ms, before.status, before.error_code, before.response_body, before.claimed_until
    ), earlier as (
      insert into delivery_attempts (
        integration_id, event_id, number, started_at, duration_ms, status, error_code, response_body)
      select ${integrationId}, event_id, attempts - 1,
        coalesce(started_at, claimed_until - ${claimMs} * interval '1 millisecond'), coalesce(duration_ms, ${claimMs}),
        status, case when started_at is null then 'interrupted' else error_code end, response_body
      from claimed where attempts > 1 and (started_at is not null or claimed_until is not null)
      on conflict on constraint delivery_attempts_pkey do nothing
    )
    select ${integrationId}::integer as "integrationId", event_id as "eventId", claim, attempts as attempt, scheduled,
      progress::json as progress, octet_length(event) as "eventBytes",
      case when octet_length(event) <= ${maxClaimedBytes} then event end as "eventJson", traceparent, epoch,
      (select count(*) from due where not is_in_flight) > (select count(*) from claimed) as "hasMore"
    from claimed join handled_events on handled_events.id = event_id
    order by event_id`.execute(trx);
  return rows;
}

/** The text of a claimed event. */
export async function loadEvent(db: Kysely<IntegrationsTables>, id: number): Promise<string> {
  const { event } = await db
    .selectFrom('handled_events')
    .select('event')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return event;
}

/**
 * Gives claims of a locked integration back whose sends have not begun. The deliveries are due again, or cancelled if
 * the integration is disabled.
 */
export async function giveBackClaims(
  trx: Transaction<IntegrationsTables>,
  { id: integrationId, enabled }: Pick<StoredIntegration, 'id' | 'enabled'>,
  unsent: readonly Pick<ClaimedDelivery, 'eventId' | 'claim'>[],
): Promise<void> {
  if (unsent.length === 0) return;
  await prepared('give-back-claims')`
    with unsent as (
      select * from unnest(
        ${unsent.map(({ eventId }) => eventId)}::bigint[], ${unsent.map(({ claim }) => claim)}::uuid[]
      ) as unsent (event_id, claim)
    )
    update deliveries d set
      state = case when not ${enabled}::boolean then 'cancelled' when outcome_id is null then 'pending' else 'waiting' end,
      attempts = d.attempts - 1, claim = null, claimed_until = null
    from unsent
    where ${isDelivery('d', integrationId, 'unsent')} and d.claim = unsent.claim`.execute(trx);
}

/** Extends claims, except those that another process has replaced. */
export async function renewClaims(
  db: Kysely<IntegrationsTables>,
  owned: readonly Pick<ClaimedDelivery, 'integrationId' | 'eventId' | 'claim'>[],
  claimMs: number,
): Promise<void> {
  await prepared('renew-claims')`
    with free as (
      select integration_id, event_id from deliveries join unnest(
        ${owned.map(({ integrationId }) => integrationId)}::integer[], ${owned.map(({ eventId }) => eventId)}::bigint[],
        ${owned.map(({ claim }) => claim)}::uuid[]) as owned (integration_id, event_id, claim)
        using (integration_id, event_id, claim)
      for no key update of deliveries skip locked
    )
    update deliveries d set claimed_until = now() + ${claimMs} * interval '1 millisecond'
    from free where d.integration_id = free.integration_id and d.event_id = free.event_id`.execute(db);
}

/** The enabled integrations with due deliveries. Each costs at most one look into each index. */
export async function findIntegrationsWithWork(db: Kysely<IntegrationsTables>): Promise<number[]> {
  const isFree = sql`
    integration_id = i.id and is_unfinished and (event_id > i.from_event_id or is_redelivery)
      and (state <> 'sending' or claimed_until <= now())`;
  const { rows } = await prepared('find-integrations-with-work')<{ id: number }>`
    select id from integrations i
    where enabled and (paused_until is null or paused_until <= now()) and (
      exists (select 1 from deliveries where ${isFree} and outcome_id is null)
      or exists (select 1 from deliveries where ${isFree} and outcome_id is not null and next_attempt_at <= now()))
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}
