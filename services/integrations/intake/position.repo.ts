import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

type Trx = Transaction<IntegrationsTables>;

/** Up to where RECORDED has been taken; sequences of another incarnation say nothing. */
export interface Position {
  incarnation: string | null;
  lastSequence: number;
  /** The highest public id that has been taken; moves with the position and in no other way. */
  lastEventId: number;
}

const columns = sql`
  incarnation, last_sequence as "lastSequence", last_event_id as "lastEventId", pruned_event_id as "prunedEventId"`;

export async function readPosition(db: Kysely<IntegrationsTables>): Promise<Position> {
  return (await sql<Position>`select ${columns} from intake`.execute(db)).rows[0]!;
}

/** The position, with the id up to which deliveries have been swept. Nobody else takes events until the transaction ends. */
export async function lockIntake(trx: Trx): Promise<Position & { prunedEventId: number }> {
  const { rows } = await sql<Position & { prunedEventId: number }>`select ${columns} from intake for update`.execute(
    trx,
  );
  return rows[0]!;
}

/** Moves the position with the commit. */
export function movePosition(trx: Trx, { incarnation, lastSequence, lastEventId }: Position): void {
  trx.defer(sql`
    update intake set incarnation = ${incarnation}, last_sequence = ${lastSequence}, last_event_id = ${lastEventId}`);
}

/** An event as it is kept, with the integrations that want it. */
export interface DeliverableEvent {
  id: number;
  json: string;
  traceparent: string | null;
  /** What keeps its order; null where no order is promised. */
  orderingKey: string | null;
  receivers: readonly number[];
}

/** Keeps events and makes the deliveries that are not there yet; returns the integrations that have new ones. */
export async function insertDeliveries(trx: Trx, events: readonly DeliverableEvent[]): Promise<number[]> {
  if (events.length === 0) return [];
  const deliveries = events.flatMap(({ receivers, ...event }) => receivers.map((to) => ({ to, ...event })));
  const [, made] = await trx.batch(
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
  return [...new Set(made.map(({ id }) => id))];
}
