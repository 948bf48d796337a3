import type { BusMessage } from '@yardarm/shared/bus';
import { type Event, eventSchema } from '@yardarm/shared/contracts/events';
import type { Database, Transaction } from '@yardarm/shared/db';
import { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { insertDeliveries } from '../deliveries/deliveries.repo.ts';
import { type Filter, wants } from '../integrations/integration.ts';
import { findFilters } from '../integrations/integrations.repo.ts';
import { insertMissed, shortenMissed } from './missed-events.repo.ts';
import { type IdRange, missedBetween } from './missed-events.ts';
import { lockIntake, movePosition, type Position } from './position.repo.ts';

/** Another replica has moved the position since this one read it. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
}

export interface Taken {
  position: Position;
  /** The integrations that have new deliveries; what had been taken before makes none. */
  receivers: number[];
  /** Messages that are no events. */
  setAside: { sequence: number; reason: string }[];
  /** What RECORDED has passed over, and is now noted to be fetched from the log. */
  missed: IdRange[];
}

/** Of the envelope only what is used here, so that a release that changes the rest loses nothing that lies in the stream. */
const envelopeSchema = z.object({ traceparent: z.string().nullish().catch(null) });

interface ReadEvent {
  event: Event;
  traceparent: string | null;
  /** The public shape as JSON text. */
  json: string;
}

/**
 * Takes messages of RECORDED that follow on `believed`: a delivery for each integration that wants the event, what was passed over, and
 * the position, in one transaction. The same events under another sequence (a stream that was made again) change nothing, by the deliveries' key; and where
 * those have been swept, by the id up to which they have.
 */
export async function takeEvents(
  db: Database<IntegrationsTables>,
  believed: Position,
  { incarnation, messages }: { incarnation: string; messages: readonly BusMessage[] },
): Promise<Taken> {
  const setAside: Taken['setAside'] = [];
  const events: ReadEvent[] = [];
  for (const { payload, sequence } of messages) {
    const read = readEvent(payload);
    if ('reason' in read) setAside.push({ sequence, reason: read.reason });
    else events.push(read);
  }
  const position = { incarnation, lastSequence: messages.at(-1)!.sequence };
  const { receivers, missed } = await db.transaction(async (trx) => {
    const ids = events.map(({ event }) => event.id);
    const stored = await movePosition(trx, believed, position, Math.max(0, ...ids));
    if (stored === null) {
      throw new PositionMovedError(`RECORDED has not been taken up to ${believed.lastSequence}, as was believed`);
    }
    const filters = await findFilters(trx);
    const wantedFrom = Math.min(...filters.map(({ fromEventId }) => fromEventId)) + 1;
    const missed = missedBetween(stored.lastEventId, ids, wantedFrom);
    await insertMissed(trx, missed);
    return { missed, receivers: await insertWanted(trx, events, filters, stored.prunedEventId) };
  });
  return { position, receivers, setAside, missed };
}

/**
 * Takes events of the log that lie in a range that was missed, as far as it has been looked through; returns the integrations that
 * have new deliveries, or null when somebody else has taken from the range meanwhile.
 */
export async function takeMissed(
  db: Database<IntegrationsTables>,
  range: IdRange,
  { events, through }: { events: readonly Event[]; through: number },
): Promise<number[] | null> {
  return db.transaction(async (trx) => {
    // Before anything else, as takeEvents: what is swept does not change between a look at it and the deliveries that come of it.
    const prunedEventId = await lockIntake(trx);
    if (!(await shortenMissed(trx, range, through))) return null;
    const found = events.map((event) => ({ event, json: JSON.stringify(event), traceparent: null }));
    return insertWanted(trx, found, await findFilters(trx), prunedEventId);
  });
}

/** Makes the deliveries of those that want the events, but for those that have been swept already; returns who has new ones. */
async function insertWanted(
  trx: Transaction<IntegrationsTables>,
  events: readonly ReadEvent[],
  filters: readonly (Filter & { id: number })[],
  prunedEventId: number,
): Promise<number[]> {
  const wanted = events.flatMap(({ event }) =>
    filters
      .filter((filter) => event.id > prunedEventId && wants(filter, event))
      // JSON, because a name with NUL in it would be refused as text; only its hash is kept.
      .map(({ id }) => ({
        integrationId: id,
        eventId: event.id,
        featureName: event.featureName === null ? null : JSON.stringify(event.featureName),
      })),
  );
  if (wanted.length === 0) return [];
  const wantedIds = new Set(wanted.map(({ eventId }) => eventId));
  const handled = events
    .filter(({ event }) => wantedIds.has(event.id))
    .map(({ event, json, traceparent }) => ({ id: event.id, event: json, traceparent }));
  return insertDeliveries(trx, handled, wanted);
}

function readEvent(payload: unknown): ReadEvent | { reason: string } {
  const parsed = eventSchema.safeParse(payload);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { reason: problems.join('; ') };
  }
  const { traceparent } = envelopeSchema.parse(payload);
  try {
    return { event: parsed.data, json: JSON.stringify(parsed.data), traceparent: plainTraceparent(traceparent) };
  } catch (error) {
    // Nested deeper than the stack.
    return { reason: (error as Error).message };
  }
}

/** Only what can be one, so that the text is one that Postgres takes. */
function plainTraceparent(text: string | null | undefined): string | null {
  return text && /^[0-9a-f-]{1,100}$/.test(text) ? text : null;
}
