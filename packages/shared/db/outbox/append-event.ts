import { randomUUIDv7 } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { z } from 'zod';
import type { Actor } from '../../contracts/actor.ts';
import type { ServiceName } from '../../contracts/contract.ts';
import { type PublishedEvent, publishedEventSchema } from '../../contracts/events/event.ts';
import type { EventType } from '../../contracts/events/event-types.ts';
import { AppError } from '../../errors/index.ts';
import { prepared } from '../prepared.ts';
import type { SharedTables } from '../tables.ts';
import type { Transaction } from '../transaction.ts';
import { encodeValues } from '../values.ts';

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
export const maxRowsPerStatement = 1_000;

/**
 * Inserts an event into the outbox with the commit of the transaction. The caller appends nothing for an update that
 * changes nothing. Returns the event's id. Throws ZodError for a malformed event, which is a bug of our code.
 */
export function appendEvent<T extends SharedTables>(trx: Transaction<T>, event: NewEvent): string {
  const row = toEventRow(trx.context.service, event);
  deferInserts(trx, [row]);
  return row.eventId;
}

/** The same for many events of one change, in their order, in few statements. */
export function appendEvents<T extends SharedTables>(trx: Transaction<T>, events: readonly NewEvent[]): void {
  deferInserts(
    trx,
    events.map((event) => toEventRow(trx.context.service, event)),
  );
}

/** An event as the outbox stores it. */
export interface EventRow extends Pick<NewEvent, 'type' | 'orderingKey' | 'traceparent'> {
  eventId: string;
  payload: string;
}

/** Throws as `appendEvent` does. */
export function toEventRow(service: ServiceName, event: NewEvent): EventRow {
  const stored: z.infer<typeof storedSchema> = storedSchema.parse({
    // Version 7 rises with time, so that inboxes and logs insert at the end of their indexes.
    eventId: randomUUIDv7(),
    version: 1,
    source: service,
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

function deferInserts<T extends SharedTables>(trx: Transaction<T>, rows: readonly EventRow[]): void {
  for (let at = 0; at < rows.length; at += maxRowsPerStatement) {
    trx.defer(insertEventRows(rows.slice(at, at + maxRowsPerStatement)));
  }
  if (rows.length > 0) trx.onCommit(() => trx.context.appended.emit('committed'));
}

/** The statement that inserts rows in their order. Its values are encoded. */
export function insertEventRows(rows: readonly EventRow[]): RawBuilder<unknown> {
  const [ids, types, keys, payloads, traces] = encodeValues([
    rows.map(({ eventId }) => eventId),
    rows.map(({ type }) => type),
    rows.map(({ orderingKey }) => orderingKey),
    rows.map(({ payload }) => payload),
    rows.map(({ traceparent }) => traceparent),
  ]);
  return prepared('append-events')`
    insert into outbox (event_id, type, ordering_key, payload, traceparent)
    select event_id, type, ordering_key, payload, traceparent
    from unnest(
      ${ids}::uuid[], ${types}::text[], ${keys}::text[], ${payloads}::text[], ${traces}::text[]
    ) with ordinality as event (event_id, type, ordering_key, payload, traceparent, place)
    order by place`;
}
