import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Actor } from '../../contracts/actor.ts';
import { type PublishedEvent, publishedEventSchema } from '../../contracts/events/event.ts';
import type { EventType } from '../../contracts/events/event-types.ts';
import { AppError } from '../../errors/index.ts';
import type { SharedTables } from '../tables.ts';
import type { Transaction } from '../transaction.ts';

export interface NewEvent {
  type: EventType;
  actor: Pick<Actor, 'id' | 'username' | 'email'>;
  environment?: string | null;
  project?: string | null;
  featureName?: string | null;
  data?: Record<string, unknown> | null;
  preData?: Record<string, unknown> | null;
  tags?: PublishedEvent['tags'];
  /**
   * Events of one key are published in the order of their rows. The key is the flag (`feature:<name>`), else the noun.
   * The caller holds a lock that all writers of this key acquire. Without such a lock the order is undefined.
   */
  orderingKey: string;
  requestId: string | null;
  traceparent: string | null;
}

/** The default limit of NATS is 1 MiB. The rest is for createdAt, the public id and headers. */
const maxBytes = 1_000_000;

const storedSchema = publishedEventSchema.omit({ createdAt: true });

/** More rows in one statement gain nothing. */
const maxPerStatement = 1_000;

/**
 * Inserts an event into the outbox with the commit of the transaction. The caller appends nothing for an update that
 * changes nothing. Returns the event's id. Throws ZodError for a malformed event, which is a fault of our code.
 */
export function appendEvent<T extends SharedTables>(trx: Transaction<T>, event: NewEvent): string {
  const row = rowOf(trx, event);
  insertRows(trx, [row]);
  return row.eventId;
}

/** The same for many events of one change, in their order, in few statements. */
export function appendEvents<T extends SharedTables>(trx: Transaction<T>, events: readonly NewEvent[]): void {
  const rows = events.map((event) => rowOf(trx, event));
  for (let at = 0; at < rows.length; at += maxPerStatement) insertRows(trx, rows.slice(at, at + maxPerStatement));
}

interface Row extends Pick<NewEvent, 'type' | 'orderingKey' | 'traceparent'> {
  eventId: string;
  payload: string;
}

function rowOf<T extends SharedTables>(trx: Transaction<T>, event: NewEvent): Row {
  const stored: z.infer<typeof storedSchema> = storedSchema.parse({
    // Version 7 rises with time, so that inboxes and logs insert at the end of their indexes.
    eventId: randomUUIDv7(),
    version: 1,
    source: trx.context.service,
    type: event.type,
    createdBy: event.actor.email ?? event.actor.username,
    createdByUserId: event.actor.id,
    createdByUsername: event.actor.username,
    environment: event.environment ?? null,
    project: event.project ?? null,
    featureName: event.featureName ?? null,
    data: event.data ?? null,
    preData: event.preData ?? null,
    tags: event.tags ?? [],
    requestId: event.requestId,
    traceparent: event.traceparent,
  });
  const payload = JSON.stringify(stored);
  if (Buffer.byteLength(payload) > maxBytes) {
    throw new AppError('content-too-large', `The change is too large: its event has more than ${maxBytes} bytes`);
  }
  const { type, orderingKey, traceparent } = event;
  return { eventId: stored.eventId, type, orderingKey, payload, traceparent };
}

function insertRows<T extends SharedTables>(trx: Transaction<T>, rows: readonly Row[]): void {
  trx.defer(sql`
    insert into outbox (event_id, type, ordering_key, payload, traceparent)
    select event_id, type, ordering_key, payload, traceparent
    from unnest(
      ${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ orderingKey }) => orderingKey)}::text[], ${rows.map(({ payload }) => payload)}::text[],
      ${rows.map(({ traceparent }) => traceparent)}::text[]
    ) with ordinality as event (event_id, type, ordering_key, payload, traceparent, place)
    order by place`);
  trx.onCommit(() => trx.context.appended.emit('committed'));
}
