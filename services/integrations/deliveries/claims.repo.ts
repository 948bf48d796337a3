import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { NewOutcome } from '../outcomes/outcomes.repo.ts';
import type { Progress } from '../providers/provider.ts';
import type { Attempt } from './deliveries.repo.ts';

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

/**
 * How many untried deliveries, and how many that are to be tried again, one claim looks at. The untried are looked at in the order of the
 * events: the oldest waits for none but what is being sent, so there is always one to go on with. Of a flag with more than these waiting
 * for one another nothing behind is looked at until it has moved on.
 */
const claimWindow = 200;

/** A delivery that was made, and claimed with that if it has a claim. */
export interface Made {
  id: number;
  integrationId: number;
  eventId: number;
  claim: string | null;
}

/**
 * Keeps events that somebody gets, and makes the deliveries that are not there yet, in the statement that takes the events: `taking` are
 * queries of it, the last of which, named `taking`, has one row with the id up to which deliveries have been swept (nothing is made up to
 * it), or none when nothing is to be taken; null then.
 *
 * What comes by itself is claimed at once, as claimDue would: for an integration of `claiming` that is still as it is known, whose circuit is closed, that
 * has nothing pending and is locked by nobody, up to `atOnce`, and `inAll` of all. All else is left pending.
 */
export async function insertDeliveries(
  db: Kysely<IntegrationsTables>,
  taking: RawBuilder<unknown>,
  made: {
    events: readonly { id: number; event: string; traceparent: string | null }[];
    deliveries: readonly { integrationId: number; eventId: number; featureName: string | null }[];
  },
  claiming: {
    integrations: readonly { id: number; version: number }[];
    atOnce: number;
    inAll: number;
    claimMs: number;
  },
): Promise<Made[] | null> {
  const { events, deliveries } = made;
  const { integrations, atOnce, inAll, claimMs } = claiming;
  const { rows } = await sql<Made | Record<keyof Made, null>>`
    with ${taking}, handled as (
      insert into handled_events (id, event, traceparent)
      select t.* from taking, unnest(
        ${events.map(({ id }) => id)}::bigint[], ${events.map(({ event }) => event)}::text[],
        ${events.map(({ traceparent }) => traceparent)}::text[]) as t (id, event, traceparent)
      where t.id > pruned_event_id
      on conflict on constraint handled_events_pkey do nothing
    ), wanted as (
      select integration_id, event_id, hashtext(feature_name) as ordering_key
      from taking, unnest(
        ${deliveries.map(({ integrationId }) => integrationId)}::integer[],
        ${deliveries.map(({ eventId }) => eventId)}::bigint[],
        ${deliveries.map(({ featureName }) => featureName)}::text[]) as t (integration_id, event_id, feature_name)
      where event_id > pruned_event_id
    ), free as (
      select i.id, (
        select count(*) from deliveries
        where integration_id = i.id and state = 'sending' and claimed_until > now()) as sending
      from unnest(${integrations.map(({ id }) => id)}::integer[], ${integrations.map(({ version }) => version)}::integer[])
        as known (id, version)
      join integrations i on i.id = known.id
      where ${inAll}::integer > 0 and exists (select 1 from taking) and i.version = known.version and i.enabled and i.paused_until is null
        and not exists (
          select 1 from deliveries
          where integration_id = i.id and state = 'pending' and (event_id > i.from_event_id or is_redelivery))
      for no key update of i skip locked
    ), judged as (
      select wanted.*, coalesce(
        -- First: without a free integration nothing behind it is looked at, least of all everything untried.
        free.id is not null and sending + row_number() over (partition by integration_id order by event_id) <= ${atOnce}::integer
          and row_number() over (order by event_id, integration_id) <= ${inAll}::integer
          and (ordering_key is null or (
            row_number() over (partition by integration_id, ordering_key order by event_id) = 1
            and not exists (
              select 1 from deliveries earlier
              where earlier.integration_id = wanted.integration_id and earlier.ordering_key = wanted.ordering_key
                and earlier.state in ('pending', 'sending') and earlier.outcome_id is null))), false) as is_claimed
      from wanted left join free on free.id = integration_id
    ), made as (
      insert into deliveries (integration_id, event_id, ordering_key, state, attempts, claim, claimed_until)
      select integration_id, event_id, ordering_key,
        case when is_claimed then 'sending' else 'pending' end, is_claimed::integer,
        case when is_claimed then gen_random_uuid() end,
        case when is_claimed then now() + ${claimMs} * interval '1 millisecond' end
      from judged order by event_id, integration_id
      on conflict on constraint deliveries_integration_id_event_id_key do nothing
      returning id, integration_id, event_id, claim
    )
    select id, integration_id as "integrationId", event_id as "eventId", claim
    from taking left join made on true order by event_id`.execute(db);
  if (rows.length === 0) return null;
  return rows.filter((row): row is Made => row.id !== null);
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

/** What an integration may claim. */
export interface Claiming {
  integrationId: number;
  fromEventId: number;
  /** As long as no more than these are being sent, by whichever replica. */
  atOnce: number;
  claimMs: number;
}

/**
 * Claims what is due for a locked integration. A claim that ran out counts as an attempt of unknown end.
 */
export async function claimDue(trx: Transaction<IntegrationsTables>, claiming: Claiming): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with turn as (select 1), ours as (select 0::bigint as id where false), ${claims(claiming)}
    select ${claimedColumns}
    from claimed join handled_events on handled_events.id = claimed.event_id
    order by event_id`.execute(trx);
  return rows;
}

/** The queries that claim, with `claimed` as their result: if a query before them, `turn`, has a row; deliveries of another, `ours`, have just ended. */
function claims({ integrationId, fromEventId, atOnce, claimMs }: Claiming): RawBuilder<unknown> {
  return sql`
    due as (
      (select id, event_id, ordering_key, outcome_id, null::timestamptz as abandoned_at from deliveries
        where integration_id = ${integrationId} and state = 'pending' and (event_id > ${fromEventId} or is_redelivery)
        order by event_id limit ${sql.lit(claimWindow)})
      union all
      (select id, event_id, ordering_key, outcome_id, null from deliveries
        where integration_id = ${integrationId} and state = 'waiting' and next_attempt_at <= now()
          and (event_id > ${fromEventId} or is_redelivery)
        order by next_attempt_at, event_id limit ${sql.lit(claimWindow)})
      union all
      (select id, event_id, ordering_key, outcome_id, claimed_until from deliveries
        where integration_id = ${integrationId} and state = 'sending' and claimed_until <= now()
          and (event_id > ${fromEventId} or is_redelivery) and id not in (select id from ours)
        order by claimed_until limit ${sql.lit(claimWindow)})
    ), free as (
      select id, abandoned_at from due
      where exists (select 1 from turn) and (outcome_id is not null or ordering_key is null or not exists (
        select 1 from deliveries earlier
        where earlier.integration_id = ${integrationId} and earlier.ordering_key = due.ordering_key
          and earlier.event_id < due.event_id and (earlier.event_id > ${fromEventId} or earlier.is_redelivery)
          and earlier.state in ('pending', 'sending') and earlier.outcome_id is null
          and earlier.id not in (select id from ours)))
      order by event_id
      limit greatest(0, ${atOnce} - (
        select count(*) from deliveries
        where integration_id = ${integrationId} and state = 'sending' and claimed_until > now()
          and id not in (select id from ours)))
    ), claimed as (
      update deliveries set state = 'sending', attempts = attempts + 1, claim = gen_random_uuid(),
        claimed_until = now() + ${claimMs} * interval '1 millisecond'
      where id in (select id from free) and (state = 'pending' or (state = 'waiting' and next_attempt_at <= now())
        or (state = 'sending' and claimed_until <= now()))
      returning id, integration_id, event_id, claim, attempts, scheduled_from, progress
    ), abandoned as (
      insert into delivery_attempts (delivery_id, number, started_at, duration_ms, error_code)
      select claimed.id, attempts - 1, abandoned_at - ${claimMs} * interval '1 millisecond', ${claimMs}, 'interrupted'
      from claimed join free on free.id = claimed.id and abandoned_at is not null
      on conflict on constraint delivery_attempts_pkey do nothing
    )`;
}

const claimedColumns = sql`
  claimed.id, integration_id as "integrationId", event_id as "eventId", claim, attempts as attempt,
  attempts - scheduled_from as scheduled, progress::json as progress, event as "eventJson", traceparent`;

/**
 * A whole turn in one statement, for an integration that is still as it is `known`, with an endpoint that is well, and attempts that succeeded, each the first
 * of its delivery to come to an end: keeps the attempts and their outcomes, ends the deliveries, and claims what is due. Does nothing and
 * returns null when anything is otherwise.
 *
 * A statement that has waited for a lock sees what was before, so this one waits for none: somebody else's turn is a case of the others.
 */
export async function recordSuccesses(
  db: Kysely<IntegrationsTables>,
  known: { id: number; version: number },
  ended: readonly { delivery: ClaimedDelivery; attempt: Attempt; outcome: NewOutcome }[],
  claiming: Claiming,
): Promise<ClaimedDelivery[] | null> {
  const list = <T>(of: (one: (typeof ended)[number]) => T) => ended.map(of);
  const { rows } = await sql<ClaimedDelivery | { id: null }>`
    with integration as (
      select id from integrations
      where id = ${known.id} and version = ${known.version} and enabled and failures = 0 and paused_until is null
        and deleted_at is null
      for no key update skip locked
    ), held as (
      select d.id, d.event_id, number, started_at, duration_ms, status, response_body, outcome, details
      from unnest(
        ${list(({ delivery }) => delivery.id)}::bigint[], ${list(({ delivery }) => delivery.claim)}::uuid[],
        ${list(({ attempt }) => attempt.number)}::integer[],
        ${list(({ attempt }) => attempt.startedAt.toISOString())}::timestamptz[],
        ${list(({ attempt }) => attempt.durationMs)}::integer[], ${list(({ attempt }) => attempt.status)}::integer[],
        ${list(({ attempt }) => attempt.responseBody)}::text[], ${list(({ outcome }) => outcome.stateDetails)}::text[],
        ${list(({ outcome }) => JSON.stringify(outcome.details))}::text[]
      ) as ended (id, claim, number, started_at, duration_ms, status, response_body, outcome, details)
      join deliveries d on d.id = ended.id and d.claim = ended.claim and d.outcome_id is null
      where exists (select 1 from integration)
      for update of d
    ), turn as (
      select 1 from integration where (select count(*) from held) = ${ended.length}
    ), ours as (
      select held.* from held, turn
    ), counter as (
      update integrations set outcome_count = outcome_count + ${ended.length}
      where id = ${known.id} and exists (select 1 from ours)
      returning outcome_count - ${ended.length} as last
    ), kept as (
      insert into delivery_attempts (delivery_id, number, started_at, duration_ms, status, response_body)
      select id, number, started_at, duration_ms, status, response_body from ours
      on conflict on constraint delivery_attempts_pkey do update set
        started_at = excluded.started_at, duration_ms = excluded.duration_ms, status = excluded.status,
        error_code = null, response_body = excluded.response_body
    ), made as (
      insert into outcomes (integration_id, position, event_id, state, state_details, details)
      select ${known.id}, last + row_number() over (order by event_id), event_id, 'success', outcome, details
      from counter, ours order by event_id
      returning id, event_id
    ), moved as (
      update deliveries set state = 'succeeded', outcome_id = made.id, claim = null, claimed_until = null
      from ours join made on made.event_id = ours.event_id
      where deliveries.id = ours.id
    ), ${claims(claiming)}
    select ${claimedColumns}
    from turn left join (claimed join handled_events on handled_events.id = claimed.event_id) on true
    order by event_id`.execute(db);
  if (rows.length === 0) return null;
  return rows.filter((row): row is ClaimedDelivery => row.id !== null);
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
