import type { DeliveryAttempt } from '@yardarm/shared/contracts/integrations';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Progress } from '../providers/provider.ts';
import type { DeliveryState, NextStep } from './delivery.ts';

type Trx = Transaction<IntegrationsTables>;

/** A delivery that is this worker's until the claim runs out. */
export interface ClaimedDelivery {
  id: number;
  integrationId: number;
  eventId: number;
  claim: string;
  /** The number of the attempt that is begun. */
  attempt: number;
  /** Its number in the schedule of retries, which somebody may have begun anew. */
  scheduled: number;
  /** What earlier attempts brought, where there are several targets. */
  progress: Progress | null;
  /** The event as JSON text. */
  eventJson: string;
  traceparent: string | null;
}

export interface Attempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  errorCode: string | null;
  responseBody: string | null;
}

/**
 * How many untried deliveries, and how many that are to be tried again, one claim looks at. The untried are looked at in the order of the
 * events: the oldest waits for none but what is being sent, so there is always one to go on with. Of a flag with more than these waiting
 * for one another nothing behind is looked at until it has moved on.
 */
const claimWindow = 200;

/** Keeps events that somebody gets, and makes the deliveries that are not there yet; returns the integrations that have new ones. */
export async function insertDeliveries(
  trx: Trx,
  events: readonly { id: number; event: string; traceparent: string | null }[],
  deliveries: readonly { integrationId: number; eventId: number; featureName: string | null }[],
): Promise<number[]> {
  const { rows } = await sql<{ integration_id: number }>`
    with handled as (
      insert into handled_events (id, event, traceparent)
      select * from unnest(
        ${events.map(({ id }) => id)}::bigint[], ${events.map(({ event }) => event)}::text[],
        ${events.map(({ traceparent }) => traceparent)}::text[])
      on conflict on constraint handled_events_pkey do nothing
    ), made as (
      insert into deliveries (integration_id, event_id, ordering_key)
      select integration_id, event_id, hashtext(feature_name)
      from unnest(
        ${deliveries.map(({ integrationId }) => integrationId)}::integer[],
        ${deliveries.map(({ eventId }) => eventId)}::bigint[],
        ${deliveries.map(({ featureName }) => featureName)}::text[]) as t (integration_id, event_id, feature_name)
      order by event_id, integration_id
      on conflict on constraint deliveries_integration_id_event_id_key do nothing
      returning integration_id
    )
    select distinct integration_id from made`.execute(trx);
  return rows.map(({ integration_id }) => integration_id);
}

/** The enabled integrations that have something due, by one look into an index each. */
export async function findIntegrationsWithWork(db: Kysely<IntegrationsTables>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from integrations i
    where enabled and (paused_until is null or paused_until <= now()) and (
      exists (
        select 1 from deliveries d
        where d.integration_id = i.id and d.state = 'pending' and (d.event_id > i.from_event_id or d.is_redelivery))
      or exists (
        select 1 from deliveries d
        where d.integration_id = i.id and d.state = 'waiting' and d.next_attempt_at <= now()
          and (d.event_id > i.from_event_id or d.is_redelivery))
      or exists (
        select 1 from deliveries d
        where d.integration_id = i.id and d.state = 'sending' and d.claimed_until <= now()
          and (d.event_id > i.from_event_id or d.is_redelivery)))
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Claims what is due for a locked integration, as long as no more than `atOnce` are being sent, by whichever replica. A claim that
 * ran out counts as an attempt of unknown end.
 */
export async function claimDue(
  trx: Trx,
  { integrationId, fromEventId }: { integrationId: number; fromEventId: number },
  { atOnce, claimMs }: { atOnce: number; claimMs: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as (
      (select id, event_id, ordering_key, outcome_id, false as is_abandoned from deliveries
        where integration_id = ${integrationId} and state = 'pending' and (event_id > ${fromEventId} or is_redelivery)
        order by event_id limit ${sql.lit(claimWindow)})
      union all
      (select id, event_id, ordering_key, outcome_id, false from deliveries
        where integration_id = ${integrationId} and state = 'waiting' and next_attempt_at <= now()
          and (event_id > ${fromEventId} or is_redelivery)
        order by next_attempt_at, event_id limit ${sql.lit(claimWindow)})
      union all
      (select id, event_id, ordering_key, outcome_id, true from deliveries
        where integration_id = ${integrationId} and state = 'sending' and claimed_until <= now()
          and (event_id > ${fromEventId} or is_redelivery)
        order by claimed_until limit ${sql.lit(claimWindow)})
    ), free as (
      select id, is_abandoned from due
      where outcome_id is not null or ordering_key is null or not exists (
        select 1 from deliveries earlier
        where earlier.integration_id = ${integrationId} and earlier.ordering_key = due.ordering_key
          and earlier.event_id < due.event_id and (earlier.event_id > ${fromEventId} or earlier.is_redelivery)
          and earlier.state in ('pending', 'sending') and earlier.outcome_id is null)
      order by event_id
      limit greatest(0, ${atOnce} - (
        select count(*) from deliveries
        where integration_id = ${integrationId} and state = 'sending' and claimed_until > now()))
    ), abandoned as (
      insert into delivery_attempts (delivery_id, number, started_at, duration_ms, error_code)
      select id, attempts, claimed_until - ${claimMs} * interval '1 millisecond', ${claimMs}, 'interrupted'
      from deliveries where id in (select id from free where is_abandoned)
      on conflict on constraint delivery_attempts_pkey do nothing
    ), claimed as (
      update deliveries set state = 'sending', attempts = attempts + 1, claim = gen_random_uuid(),
        claimed_until = now() + ${claimMs} * interval '1 millisecond'
      where id in (select id from free)
      returning id, integration_id, event_id, claim, attempts, scheduled_from, progress
    )
    select claimed.id, integration_id as "integrationId", event_id as "eventId", claim, attempts as attempt,
      attempts - scheduled_from as scheduled, progress::json as progress, event as "eventJson", traceparent
    from claimed join handled_events on handled_events.id = claimed.event_id
    order by event_id`.execute(trx);
  return rows;
}

/** Keeps claims for that much longer; those that another has taken over stay the other's. */
export async function renewClaims(
  db: Kysely<IntegrationsTables>,
  held: readonly Pick<ClaimedDelivery, 'id' | 'claim'>[],
  claimMs: number,
): Promise<void> {
  await sql`
    update deliveries set claimed_until = now() + ${claimMs} * interval '1 millisecond'
    from unnest(${held.map(({ id }) => id)}::bigint[], ${held.map(({ claim }) => claim)}::uuid[]) as held (id, claim)
    where deliveries.id = held.id and state = 'sending' and deliveries.claim = held.claim`.execute(db);
}

/**
 * Keeps attempts of different deliveries of a locked integration, those that are gone left out; one that was thought interrupted has an end
 * after all. Returns what the deliveries have come to before.
 */
export async function insertAttempts(
  trx: Trx,
  attempts: readonly { deliveryId: number; attempt: Attempt }[],
): Promise<Map<number, { claim: string | null; outcomeId: number | null }>> {
  const list = <T>(of: (attempt: Attempt) => T) => attempts.map(({ attempt }) => of(attempt));
  const { rows } = await sql<{ id: number; claim: string | null; outcome_id: number | null }>`
    with found as (
      select id, claim, outcome_id from deliveries where id = any (${attempts.map(({ deliveryId }) => deliveryId)}::bigint[])
    ), kept as (
      insert into delivery_attempts (delivery_id, number, started_at, duration_ms, status, error_code, response_body)
      select delivery_id, number, started_at, duration_ms, status, error_code, response_body
      from unnest(
        ${attempts.map(({ deliveryId }) => deliveryId)}::bigint[], ${list(({ number }) => number)}::integer[],
        ${list(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
        ${list(({ durationMs }) => durationMs)}::integer[], ${list(({ status }) => status)}::integer[],
        ${list(({ errorCode }) => errorCode)}::text[], ${list(({ responseBody }) => responseBody)}::text[]
      ) as ended (delivery_id, number, started_at, duration_ms, status, error_code, response_body)
      join found on found.id = delivery_id
      on conflict on constraint delivery_attempts_pkey do update set
        started_at = excluded.started_at, duration_ms = excluded.duration_ms, status = excluded.status,
        error_code = excluded.error_code, response_body = excluded.response_body
    )
    select id, claim, outcome_id from found`.execute(trx);
  return new Map(rows.map(({ id, claim, outcome_id }) => [id, { claim, outcomeId: outcome_id }]));
}

/** Where a delivery goes from here. */
export interface Move {
  id: number;
  outcomeId: number;
  /** Null when it is not this worker's any more: then only the outcome is remembered. */
  step: NextStep | { state: 'cancelled' } | null;
  progress: Progress | null;
}

/** Ends the claims of deliveries: each is final, or due again after a while. */
export async function moveOn(trx: Trx, moves: readonly Move[]): Promise<void> {
  await sql`
    update deliveries set
      outcome_id = move.outcome_id,
      state = coalesce(move.state, deliveries.state),
      claim = case when move.state is null then claim end,
      claimed_until = case when move.state is null then claimed_until end,
      progress = coalesce(move.progress, deliveries.progress),
      next_attempt_at = case when move.state is null then next_attempt_at
        else clock_timestamp() + in_ms * interval '1 millisecond' end
    from unnest(
      ${moves.map(({ id }) => id)}::bigint[], ${moves.map(({ outcomeId }) => outcomeId)}::bigint[],
      ${moves.map(({ step }) => step?.state ?? null)}::text[],
      ${moves.map(({ step }) => (step?.state === 'waiting' ? step.nextAttemptInMs : 0))}::float8[],
      ${moves.map(({ step, progress }) => step && progress && JSON.stringify(progress))}::text[]
    ) as move (id, outcome_id, state, in_ms, progress)
    where deliveries.id = move.id`.execute(trx);
}

/** Gives a claimed delivery back as it was, due at once; its attempt has been begun and stays counted. */
export async function handBack(trx: Trx, id: number): Promise<void> {
  await sql`
    update deliveries set state = case when outcome_id is null then 'pending' else 'waiting' end,
      claim = null, claimed_until = null
    where id = ${id}`.execute(trx);
}

/** Cancels a locked integration's deliveries that are in these states. */
export async function cancelDeliveries(trx: Trx, integrationId: number, states: DeliveryState[]): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', claim: null, claimed_until: null })
    .where('integration_id', '=', integrationId)
    .where('state', 'in', states)
    .execute();
}

/** Events of one integration by their ids, both ends included. */
export interface Range {
  integrationId: number;
  from: number;
  to: number;
  /** Leaves out what has succeeded. */
  onlyFailed: boolean;
}

const inRange = ({ integrationId, from, to, onlyFailed }: Range) => sql`
  integration_id = ${integrationId} and event_id between ${from} and ${to}
    and state in ('waiting', 'gave-up', 'cancelled', ${onlyFailed ? 'gave-up' : 'succeeded'})`;

/** How many deliveries of a range have had their turn. */
export async function countDelivered(db: Kysely<IntegrationsTables>, range: Range): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from deliveries where ${inRange(range)}`.execute(db);
  return rows[0]!.count;
}

/**
 * Makes deliveries of a locked integration due once more, with a schedule of their own; returns how many. To all targets again where all
 * had it, else to those that lack it. What is due or being sent anyway is left alone.
 */
export async function sendAgain(trx: Trx, range: Range): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries set state = case when outcome_id is null then 'pending' else 'waiting' end,
      next_attempt_at = now(), scheduled_from = attempts, is_redelivery = true,
      progress = case when state = 'succeeded' then null else progress end
    where ${inRange(range)}`.execute(trx);
  return Number(numAffectedRows);
}

/** The attempts of a delivery, newest first. */
export async function findAttempts(
  db: Kysely<IntegrationsTables>,
  { integrationId, eventId, limit }: { integrationId: number; eventId: number; limit: number },
): Promise<DeliveryAttempt[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('delivery_attempts', 'delivery_attempts.delivery_id', 'deliveries.id')
    .select(['number', 'started_at', 'duration_ms', 'status', 'error_code', 'response_body'])
    .where('integration_id', '=', integrationId)
    .where('event_id', '=', eventId)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    number: row.number,
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    status: row.status,
    errorCode: row.error_code,
    response: row.response_body,
  }));
}

/** For how many seconds the delivery that is due longest has been; 0 when nothing of an enabled integration is due. */
export async function readOverdueSeconds(db: Kysely<IntegrationsTables>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(max(extract(epoch from now() - due.at)), 0)::float8 as seconds
    from integrations i, lateral (
      (select next_attempt_at as at from deliveries where integration_id = i.id and state = 'pending' order by event_id limit 1)
      union all
      (select next_attempt_at from deliveries
        where integration_id = i.id and state = 'waiting' order by next_attempt_at, event_id limit 1)
    ) as due
    where i.enabled`.execute(db);
  return Math.max(0, rows[0]!.seconds);
}

/** How many deliveries are unfinished, by state. */
export async function countUnfinished(
  db: Kysely<IntegrationsTables>,
): Promise<Record<'pending' | 'sending' | 'waiting', number>> {
  const { rows } = await sql<{ state: 'pending' | 'sending' | 'waiting'; count: number }>`
    select state, count(*) as count from deliveries where state in ('pending', 'waiting') group by state
    union all
    select state, count(*) from deliveries where state = 'sending' group by state`.execute(db);
  return { pending: 0, sending: 0, waiting: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}
