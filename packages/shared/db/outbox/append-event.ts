import { randomUUIDv7 } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
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
const maxPerStatement = 1_000;

/**
 * Inserts an event into the outbox with the commit of the transaction. The caller appends nothing for an update that
 * changes nothing. Returns the event's id. Throws ZodError for a malformed event, which is a fault of our code.
 */
export function appendEvent<T extends SharedTables>(trx: Transaction<T>, event: NewEvent): string {
  const row = rowOf(trx.context.service, event);
  deferInserts(trx, [row]);
  return row.eventId;
}

/** The same for many events of one change, in their order, in few statements. */
export function appendEvents<T extends SharedTables>(trx: Transaction<T>, events: readonly NewEvent[]): void {
  deferInserts(
    trx,
    events.map((event) => rowOf(trx.context.service, event)),
  );
}

/** Events whose rows are made before their transaction, because the rows of thousands of events take seconds. */
export interface PreparedEvents {
  readonly rows: readonly Pick<Row, 'eventId' | 'orderingKey'>[];
  /** The statements that insert the rows, with encoded values. */
  readonly inserts: readonly RawBuilder<unknown>[];
}

/** Throws as `appendEvent` does. Other work of the process continues between the statements. */
export async function prepareEvents(service: ServiceName, events: readonly NewEvent[]): Promise<PreparedEvents> {
  const rows: Pick<Row, 'eventId' | 'orderingKey'>[] = [];
  const inserts: RawBuilder<unknown>[] = [];
  for (let at = 0; at < events.length; at += maxPerStatement) {
    await yieldToEventLoop();
    const own = events.slice(at, at + maxPerStatement).map((event) => rowOf(service, event));
    rows.push(...own.map(({ eventId, orderingKey }) => ({ eventId, orderingKey })));
    inserts.push(insertOf(own));
  }
  return { rows, inserts };
}

/**
 * Inserts prepared events at once and not with the commit, so that a transaction can do it before its locks. A row
 * whose key the transaction has not locked yet may come before an event that another transaction commits meanwhile.
 * Under its locks the caller has to find these keys with `findKeysOfOthers`, delete the rows of these keys with
 * `deletePrepared`, and append their events again.
 */
export function insertPrepared<T extends SharedTables>(trx: Transaction<T>, { inserts }: PreparedEvents): void {
  for (const insert of inserts) trx.pipeline(insert);
  if (inserts.length > 0) trx.onCommit(() => trx.context.appended.emit('committed'));
}

/** The keys of the events that other transactions have committed after the first prepared row was inserted. */
export async function findKeysOfOthers<T extends SharedTables>(
  trx: Transaction<T>,
  { rows: [first] }: PreparedEvents,
): Promise<Set<string>> {
  if (!first) return new Set();
  const { rows } = await sql<{ key: string }>`
    select distinct ordering_key as key from outbox
    where id > (select id from outbox where event_id = ${first.eventId}) and xmin <> pg_current_xact_id()::xid`.execute(
    trx,
  );
  return new Set(rows.map(({ key }) => key));
}

/** Deletes the prepared rows of some keys, which this transaction has inserted. */
export async function deletePrepared<T extends SharedTables>(
  trx: Transaction<T>,
  { rows }: PreparedEvents,
  isDeleted: (orderingKey: string) => boolean,
): Promise<void> {
  const ids = rows.filter(({ orderingKey }) => isDeleted(orderingKey)).map(({ eventId }) => eventId);
  if (ids.length > 0) await sql`delete from outbox where event_id = any(${ids}::uuid[])`.execute(trx);
}

interface Row extends Pick<NewEvent, 'type' | 'orderingKey' | 'traceparent'> {
  eventId: string;
  payload: string;
}

function rowOf(service: ServiceName, event: NewEvent): Row {
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

function deferInserts<T extends SharedTables>(trx: Transaction<T>, rows: readonly Row[]): void {
  for (const insert of insertsOf(rows)) trx.defer(insert);
  if (rows.length > 0) trx.onCommit(() => trx.context.appended.emit('committed'));
}

function insertsOf(rows: readonly Row[]): RawBuilder<unknown>[] {
  return Array.from({ length: Math.ceil(rows.length / maxPerStatement) }, (_, part) =>
    insertOf(rows.slice(part * maxPerStatement, (part + 1) * maxPerStatement)),
  );
}

function insertOf(rows: readonly Row[]): RawBuilder<unknown> {
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
