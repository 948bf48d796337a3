import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

type Trx = Transaction<IntegrationsTables>;

/** Up to where intake has handled RECORDED. A sequence of another incarnation means nothing. */
export interface Position {
  incarnation: string | null;
  lastSequence: number;
  /** The highest public id that intake has handled. It moves only with the position. */
  lastEventId: number;
}

const columns = sql`
  incarnation, last_sequence as "lastSequence", last_event_id as "lastEventId", pruned_event_id as "prunedEventId"`;

export async function findPosition(db: Kysely<IntegrationsTables>): Promise<Position> {
  return (await sql<Position>`select ${columns} from intake`.execute(db)).rows[0]!;
}

/** No other transaction handles events until this one ends. */
export async function lockIntake(trx: Trx): Promise<Position & { prunedEventId: number }> {
  const { rows } = await sql<Position & { prunedEventId: number }>`select ${columns} from intake for update`.execute(
    trx,
  );
  return rows[0]!;
}

/** Defers the statement to the commit. */
export function deferPosition(trx: Trx, { incarnation, lastSequence, lastEventId }: Position): void {
  trx.defer(sql`
    update intake set incarnation = ${incarnation}, last_sequence = ${lastSequence}, last_event_id = ${lastEventId}`);
}

/** A stored event with the integrations that receive it. */
export interface DeliverableEvent {
  id: number;
  json: string;
  traceparent: string | null;
  /** The key whose events keep their order; null without an order. */
  orderingKey: string | null;
  receivers: readonly number[];
}

/** Inserts events and deliveries that do not exist yet. Returns the integrations that have new deliveries. */
export async function insertDeliveries(trx: Trx, events: readonly DeliverableEvent[]): Promise<number[]> {
  if (events.length === 0) return [];
  const deliveries = events.flatMap(({ receivers, ...event }) => receivers.map((to) => ({ to, ...event })));
  const [, inserted] = await trx.batch(
    sql`
      insert into handled_events (id, event, traceparent)
      select * from unnest(
        ${events.map(({ id }) => id)}::bigint[], ${events.map(({ json }) => json)}::text[],
        ${events.map(({ traceparent }) => traceparent)}::text[])
      on conflict on constraint handled_events_pkey do nothing`,
    sql<{ id: number }>`
      insert into deliveries (integration_id, event_id, ordering_key)
      select integration_id, event_id, hashtext(ordering_key) from unnest(
        ${deliveries.map(({ to }) => to)}::integer[], ${deliveries.map(({ id }) => id)}::bigint[],
        ${deliveries.map(({ orderingKey }) => orderingKey)}::text[]) as d (integration_id, event_id, ordering_key)
      on conflict on constraint deliveries_pkey do nothing
      returning integration_id as id`,
  );
  return [...new Set(inserted.map(({ id }) => id))];
}
