import { eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import type { IntegrationEvent } from '@yardarm/shared/contracts/integrations';
import { type Kysely, prepared, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import type { Progress } from '../providers/provider.ts';
import { type DeliveryState, mayNotBeSent, type NextStep } from './delivery.ts';
import { isDelivery } from './is-delivery.ts';

type Trx = Transaction<IntegrationsTables>;

/** A stored event with the integrations that receive it. */
export interface DeliverableEvent {
  id: number;
  json: string;
  traceparent: string | null;
  /** The key whose events keep their order; null without an order. */
  orderingKey: string | null;
  receivers: readonly number[];
}

/**
 * The ids and positions of the outcomes of `ended`, for its deliveries that have none yet. They are drawn after the
 * rows are in order, so that ids rise with positions.
 */
const newOutcomes = (integrationId: number, order: RawBuilder<unknown>) => sql`
  select event_id, nextval('deliveries_outcome_id_seq') as outcome_id, newest + row_number() over () as position
  from (select event_id from ended where is_first order by ${order}) as firsts, (
    select coalesce(max(position), 0) as newest from deliveries
    where integration_id = ${integrationId} and position is not null) as before`;

/** A statement with so many rows and their index entries takes a second. Postgres ends it after ten. */
const maxInserted = 20_000;

/** Inserts events and deliveries that do not exist yet. Returns the integrations that have new deliveries. */
export async function insertDeliveries(trx: Trx, events: readonly DeliverableEvent[]): Promise<number[]> {
  if (events.length === 0) return [];
  const deliveries = events.flatMap(({ receivers, ...event }) => receivers.map((to) => ({ to, ...event })));
  const insertNext = () => {
    const portion = deliveries.splice(0, maxInserted);
    return prepared('insert-deliveries')<{ id: number }>`
      insert into deliveries (integration_id, event_id, ordering_key)
      select integration_id, event_id, hashtext(ordering_key) from unnest(
        ${portion.map(({ to }) => to)}::integer[], ${portion.map(({ id }) => id)}::bigint[],
        ${portion.map(({ orderingKey }) => orderingKey)}::text[]) as d (integration_id, event_id, ordering_key)
      on conflict on constraint deliveries_pkey do nothing
      returning integration_id as id`;
  };
  const [, inserted] = await trx.batch(
    prepared('insert-handled-events')`
      insert into handled_events (id, event, traceparent, epoch)
      select *, (select epoch from restores order by number desc limit 1) from unnest(
        ${events.map(({ id }) => id)}::bigint[], ${events.map(({ json }) => json)}::text[],
        ${events.map(({ traceparent }) => traceparent)}::text[])
      on conflict on constraint handled_events_pkey do nothing`,
    insertNext(),
  );
  const receivers = new Set(inserted.map(({ id }) => id));
  while (deliveries.length > 0) for (const { id } of (await insertNext().execute(trx)).rows) receivers.add(id);
  return [...receivers];
}

export interface Attempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  errorCode: string | null;
  responseBody: string | null;
}

export interface Settlement {
  eventId: number;
  claim: string;
  attempt: Attempt;
  /** The next state, applied only if the claim is still this attempt's. */
  step: NextStep | { state: 'cancelled' };
  progress: Progress | null;
  /** Null for an attempt that was cut off. */
  outcome: NewOutcome | null;
}

export interface NewOutcome {
  state: IntegrationEvent['state'];
  stateDetails: string;
  details: Record<string, unknown>;
  isBodyEvent: boolean;
}

/**
 * Records attempts of different deliveries of a locked integration. Returns the events whose claims were still valid.
 *
 *   attempt  The latest attempt is stored in the row. An earlier one goes to delivery_attempts: its claim expired, and
 *            it may already be recorded there as interrupted.
 *   outcome  The first attempt that ends makes the outcome, with the next public id and position. Later attempts
 *            change it. An earlier attempt changes it only with a success, and nothing changes a success.
 *   state    Only the attempt that owns the current claim changes the state.
 */
export async function settleAttempts(
  trx: Trx,
  integrationId: number,
  settlements: readonly Settlement[],
): Promise<Set<number>> {
  const list = <V>(of: (settlement: Settlement) => V) => settlements.map(of);
  const { rows } = await prepared('settle-attempts')<{ eventId: number; isOwned: boolean }>`
    with ended as (
      select e.*, d.outcome_id is null and e.outcome is not null as is_first, e.number = d.attempts as is_latest,
        coalesce(d.claim = e.claim, false) as is_owned, e.outcome is not null and (d.outcome is null
          or (d.outcome <> 'success' and (e.number = d.attempts or e.outcome = 'success'))) as is_outcome
      from unnest(
        ${list(({ eventId }) => eventId)}::bigint[], ${list(({ claim }) => claim)}::uuid[],
        ${list(({ attempt }) => attempt.number)}::integer[],
        ${list(({ attempt }) => attempt.startedAt.toISOString())}::timestamptz[],
        ${list(({ attempt }) => attempt.durationMs)}::integer[], ${list(({ attempt }) => attempt.status)}::integer[],
        ${list(({ attempt }) => attempt.errorCode)}::text[], ${list(({ attempt }) => attempt.responseBody)}::text[],
        ${list(({ step }) => step.state)}::text[],
        ${list(({ step }) => (step.state === 'waiting' ? step.nextAttemptInMs : 0))}::float8[],
        ${list(({ progress }) => progress && JSON.stringify(progress))}::text[],
        ${list(({ outcome }) => outcome?.state ?? null)}::text[],
        ${list(({ outcome }) => outcome?.stateDetails ?? null)}::text[],
        ${list(({ outcome }) => outcome && JSON.stringify(outcome.details))}::text[],
        ${list(({ outcome }) => outcome?.isBodyEvent ?? null)}::boolean[]
      ) with ordinality as e (event_id, claim, number, started_at, duration_ms, status, error_code, response_body,
        state, in_ms, progress, outcome, state_details, details, is_body_event, n)
      cross join lateral (
        select * from deliveries where integration_id = ${integrationId} and event_id = e.event_id offset 0
      ) as d
    ), made as (${newOutcomes(integrationId, sql`n`)}), earlier as (
      insert into delivery_attempts (
        integration_id, event_id, number, started_at, duration_ms, status, error_code, response_body)
      select ${integrationId}, event_id, number, started_at, duration_ms, status, error_code, response_body
      from ended where not is_latest
      on conflict on constraint delivery_attempts_pkey do update set
        started_at = excluded.started_at, duration_ms = excluded.duration_ms, status = excluded.status,
        error_code = excluded.error_code, response_body = excluded.response_body
    )
    update deliveries d set
      outcome_id = coalesce(d.outcome_id, made.outcome_id), position = coalesce(d.position, made.position),
      outcome_created_at = coalesce(d.outcome_created_at, case when is_first then clock_timestamp() end),
      outcome = case when is_outcome then ended.outcome else d.outcome end,
      state_details = case when is_outcome then ended.state_details else d.state_details end,
      details = case when is_outcome then ended.details else d.details end,
      is_body_event = case when is_outcome then ended.is_body_event else d.is_body_event end,
      started_at = case when is_latest then ended.started_at else d.started_at end,
      duration_ms = case when is_latest then ended.duration_ms else d.duration_ms end,
      status = case when is_latest then ended.status else d.status end,
      error_code = case when is_latest then ended.error_code else d.error_code end,
      response_body = case when is_latest then ended.response_body else d.response_body end,
      progress = case when is_owned then coalesce(ended.progress, d.progress) else d.progress end,
      next_attempt_at = case when is_owned and ended.state = 'waiting'
        then clock_timestamp() + in_ms * interval '1 millisecond' else d.next_attempt_at end,
      claim = case when is_owned then null else d.claim end,
      claimed_until = case when is_owned then null else d.claimed_until end,
      -- A delivery with an outcome is not pending: redelivered meanwhile, it is due as a retry.
      state = case when not is_owned and d.state = 'pending' and made.outcome_id is not null then 'waiting'
        when not is_owned then d.state
        when ended.state = 'waiting' and d.outcome_id is null and ended.outcome is null then 'pending'
        else ended.state end
    from ended left join made on made.event_id = ended.event_id
    where ${isDelivery('d', integrationId, 'ended')}
    returning d.event_id as "eventId", is_owned as "isOwned"`.execute(trx);
  return new Set(rows.flatMap(({ eventId, isOwned }) => (isOwned ? [eventId] : [])));
}

/** The two arms match the predicates of deliveries_untried_idx and deliveries_retry_idx. */
const isUnfinished = sql<boolean>`
  (is_unfinished and outcome_id is null or is_unfinished and outcome_id is not null)`;

export async function cancelDeliveries(trx: Trx, integrationId: number, states: DeliveryState[]): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', claim: null, claimed_until: null })
    .where('integration_id', '=', integrationId)
    .where(isUnfinished)
    .where('state', 'in', states)
    .execute();
}

/**
 * Whether a handled event is of people. The text begins with id, createdAt and type, as `eventSchema` lists them. The
 * operators of JSON would refuse an event with NUL in a text. An unexpected text counts as an event of people, so that
 * none is sent by mistake. An id, a time and the longest type have at most 110 characters.
 */
const isOfPeople = sql<boolean>`
  coalesce(substring(left(event, 200) from '^{"id":[0-9]+,"createdAt":"[^"]+","type":"([a-z-]+)"')
    = any(${[...eventTypesOfPeople]}::text[]), true)`;

/**
 * Cancels unfinished deliveries of events of people, of a locked integration that may not be sent them. The reason
 * becomes the outcome; an earlier success stays. Returns the events.
 */
export async function cancelEventsOfPeople(
  trx: Trx,
  integrationId: number,
  { states, eventIds = null }: { states: DeliveryState[]; eventIds?: number[] | null },
): Promise<Set<number>> {
  const { rows } = await sql<{ eventId: number }>`
    with ended as (
      select event_id, outcome_id is null as is_first from deliveries join handled_events on handled_events.id = event_id
      where integration_id = ${integrationId} and ${isUnfinished} and state = any(${states}::text[])
        and (${eventIds}::bigint[] is null or event_id = any(${eventIds}::bigint[])) and ${isOfPeople}
    ), made as (${newOutcomes(integrationId, sql`event_id`)})
    update deliveries d set state = 'cancelled', claim = null, claimed_until = null,
      outcome_id = coalesce(d.outcome_id, made.outcome_id), position = coalesce(d.position, made.position),
      outcome_created_at = coalesce(d.outcome_created_at, clock_timestamp()),
      outcome = coalesce(d.outcome, 'failed'), details = coalesce(d.details, '{}'),
      state_details = case when d.outcome = 'success' then d.state_details else ${mayNotBeSent} end
    from ended left join made on made.event_id = ended.event_id
    where ${isDelivery('d', integrationId, 'ended')}
    returning d.event_id as "eventId"`.execute(trx);
  return new Set(rows.map(({ eventId }) => eventId));
}

export async function hasEventOfPeople(db: Kysely<IntegrationsTables>, eventId: number): Promise<boolean> {
  const { rows } = await sql`select from handled_events where id = ${eventId} and ${isOfPeople}`.execute(db);
  return rows.length > 0;
}

/** Events of one integration by id, both ends included. */
export interface Range {
  integrationId: number;
  from: number;
  to: number;
  onlyFailed: boolean;
}

/** The deliveries of a range that may be sent again. */
interface Redelivery extends Range, Pick<StoredIntegration, 'maySendEventsOfPeople'> {}

const inRange = ({ integrationId, from, to, onlyFailed, maySendEventsOfPeople }: Redelivery) => sql`
  integration_id = ${integrationId} and event_id between ${from} and ${to}
    and state in ('waiting', 'gave-up', 'cancelled', ${onlyFailed ? 'gave-up' : 'succeeded'})
    and (${maySendEventsOfPeople}::boolean
      or event_id not in (select id from handled_events where id between ${from} and ${to} and ${isOfPeople}))`;

/** Counts the deliveries of a range that can be sent again. */
export async function countRange(db: Kysely<IntegrationsTables>, range: Redelivery): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from deliveries where ${inRange(range)}`.execute(db);
  return rows[0]!.count;
}

/**
 * Makes deliveries of a locked integration due again, with a new schedule. Returns the number of deliveries. A
 * succeeded delivery goes to all targets again, another one to the targets that lack it. Pending and sending deliveries
 * do not change.
 */
export async function scheduleRedelivery(trx: Trx, range: Redelivery): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries set state = case when outcome_id is null then 'pending' else 'waiting' end,
      next_attempt_at = now(), scheduled_from = attempts, is_redelivery = true,
      progress = case when state = 'succeeded' then null else progress end
    where ${inRange(range)}`.execute(trx);
  return Number(numAffectedRows);
}

export async function findAttempts(
  db: Kysely<IntegrationsTables>,
  { integrationId, eventId, limit }: { integrationId: number; eventId: number; limit: number },
): Promise<Attempt[]> {
  const columns = sql`started_at, duration_ms, status, error_code, response_body`;
  const { rows } = await sql<Attempt>`
    select number, started_at as "startedAt", duration_ms as "durationMs", status, error_code as "errorCode",
      response_body as "responseBody"
    from (
      select attempts as number, ${columns} from deliveries
      where integration_id = ${integrationId} and event_id = ${eventId} and started_at is not null
      union all
      select number, ${columns} from delivery_attempts
      where integration_id = ${integrationId} and event_id = ${eventId}) as attempts
    order by number desc limit ${limit}`.execute(db);
  return rows;
}

/** When the delivery is due again; null if it has ended. */
export async function findNextAttemptAt(
  db: Kysely<IntegrationsTables>,
  { integrationId, eventId }: { integrationId: number; eventId: number },
): Promise<Date | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('integration_id', '=', integrationId)
    .where('event_id', '=', eventId)
    .where('state', 'in', ['pending', 'waiting'])
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

/**
 * How many seconds the delivery that is due longest could have been sent; 0 if no enabled integration has one. While an
 * endpoint is paused because it fails, its deliveries wait for the end of the pause and are not late.
 */
export async function findOverdueSeconds(db: Kysely<IntegrationsTables>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(max(extract(epoch from now() - greatest(due.at, i.paused_until))), 0)::float8 as seconds
    from integrations i, lateral (
      (select next_attempt_at as at from deliveries
        where integration_id = i.id and is_unfinished and outcome_id is null and state = 'pending'
          and (event_id > i.from_event_id or is_redelivery)
        order by event_id limit 1)
      union all
      (select next_attempt_at from deliveries
        where integration_id = i.id and is_unfinished and outcome_id is not null and state = 'waiting'
          and (event_id > i.from_event_id or is_redelivery)
        order by next_attempt_at, event_id limit 1)
    ) as due
    where i.enabled`.execute(db);
  return Math.max(0, rows[0]!.seconds);
}

/** A count reads each row, some 100,000 in a tenth of a second, and a scrape waits for one second. */
const maxCounted = 100_000;

/** Counts unfinished deliveries by state: of those without and with an outcome, the first `maxCounted` each. */
export async function countUnfinished(
  db: Kysely<IntegrationsTables>,
): Promise<Record<'pending' | 'sending' | 'waiting', number>> {
  const { rows } = await sql<{ state: 'pending' | 'sending' | 'waiting'; count: number }>`
    select state, count(*) as count
    from (
      (select state from deliveries where is_unfinished and outcome_id is null limit ${maxCounted})
      union all
      (select state from deliveries where is_unfinished and outcome_id is not null limit ${maxCounted})) as unfinished
    group by state`.execute(db);
  return { pending: 0, sending: 0, waiting: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}
