import type { DeliveryAttempt } from '@yardarm/shared/contracts/integrations';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Progress } from '../providers/provider.ts';
import type { DeliveryState, NextStep } from './delivery.ts';

type Trx = Transaction<IntegrationsTables>;

export interface Attempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  errorCode: string | null;
  responseBody: string | null;
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
      (select next_attempt_at as at from deliveries
        where integration_id = i.id and state = 'pending' and (event_id > i.from_event_id or is_redelivery)
        order by event_id limit 1)
      union all
      (select next_attempt_at from deliveries
        where integration_id = i.id and state = 'waiting' and (event_id > i.from_event_id or is_redelivery) order by next_attempt_at, event_id limit 1)
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
