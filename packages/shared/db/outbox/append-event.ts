import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Actor } from '../../contracts/actor.ts';
import { type PublishedEvent, publishedEventSchema } from '../../contracts/events/event.ts';
import type { EventType } from '../../contracts/events/event-types.ts';
import { AppError } from '../../errors/index.ts';
import type { SharedTables } from '../tables.ts';
import { contextOf, type Transaction } from '../transaction.ts';

/** What a use case knows of what it did; the rest of the event is added here. */
export interface NewEvent {
  type: EventType;
  actor: Pick<Actor, 'id' | 'username' | 'email'>;
  environment?: string | null;
  project?: string | null;
  featureName?: string | null;
  data?: Record<string, unknown> | null;
  preData?: Record<string, unknown> | null;
  /** The flag's tags of this moment. */
  tags?: PublishedEvent['tags'];
  /**
   * Events of one key are published in the order of their rows: the flag (`feature:<name>`), else the noun. The caller
   * holds a lock that all writers of this key take, or their order is anybody's guess.
   */
  orderingKey: string;
  requestId: string | null;
  traceparent: string | null;
}

export interface AppendedEvent {
  eventId: string;
  /** By the database's clock, whole milliseconds, as the event shows it. */
  createdAt: Date;
}

/** NATS takes 1 MiB unless told otherwise. The rest is for createdAt, the public id and headers. */
const maxBytes = 1_000_000;

const storedSchema = publishedEventSchema.omit({ createdAt: true });

/** A statement carries at most 65,535 values, five of each event. Nothing is gained beyond this many. */
const mostAtOnce = 1_000;

/**
 * Writes what happened into the outbox, in the transaction in which it happens; the relay publishes it after the commit.
 * An update that changed nothing appends nothing: that is for the caller to see. Throws ZodError when the event is malformed,
 * which is a fault of ours.
 */
export async function appendEvent<T extends SharedTables>(
  trx: Transaction<T>,
  event: NewEvent,
): Promise<AppendedEvent> {
  const row = rowOf(trx, event);
  const [createdAt] = await insertRows(trx, [row]);
  return { eventId: row.eventId, createdAt: createdAt as Date };
}

/** The same of many events of one change, in their order, in few statements. */
export async function appendEvents<T extends SharedTables>(
  trx: Transaction<T>,
  events: readonly NewEvent[],
): Promise<void> {
  for (let at = 0; at < events.length; at += mostAtOnce) {
    await insertRows(
      trx,
      events.slice(at, at + mostAtOnce).map((event) => rowOf(trx, event)),
    );
  }
}

interface Row extends Pick<NewEvent, 'type' | 'orderingKey' | 'traceparent'> {
  eventId: string;
  payload: string;
}

function rowOf<T extends SharedTables>(trx: Transaction<T>, event: NewEvent): Row {
  const stored: z.infer<typeof storedSchema> = storedSchema.parse({
    // Rising with time, so that inboxes and logs insert at the end of their indexes.
    eventId: randomUUIDv7(),
    version: 1,
    source: contextOf(trx).service,
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
    throw new AppError(
      'content-too-large',
      `What this would change is too large: its event has more than ${maxBytes} bytes`,
    );
  }
  const { type, orderingKey, traceparent } = event;
  return { eventId: stored.eventId, type, orderingKey, payload, traceparent };
}

async function insertRows<T extends SharedTables>(trx: Transaction<T>, rows: readonly Row[]): Promise<Date[]> {
  const values = rows.map(
    ({ eventId, type, orderingKey, payload, traceparent }) =>
      sql`(${eventId}, ${type}, ${orderingKey}, ${payload}, ${traceparent})`,
  );
  const inserted = await sql<{ created_at: Date }>`
    insert into outbox (event_id, type, ordering_key, payload, traceparent)
    values ${sql.join(values)}
    returning created_at`.execute(trx);
  const { appended } = contextOf(trx);
  trx.onCommit(() => appended.emit());
  return inserted.rows.map(({ created_at }) => created_at);
}
