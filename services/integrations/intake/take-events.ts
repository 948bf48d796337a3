import type { BusMessage } from '@yardarm/shared/bus';
import { type Event, eventSchema } from '@yardarm/shared/contracts/events';
import type { Database, Transaction } from '@yardarm/shared/db';
import { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { wants } from '../integrations/integration.ts';
import { type EnabledIntegration, findEnabled } from '../integrations/integrations.repo.ts';
import { insertMissed, shortenMissed } from './missed-events.repo.ts';
import { type IdRange, missedBetween } from './missed-events.ts';
import { insertDeliveries, lockIntake, movePosition, type Position } from './position.repo.ts';

/** Another replica has moved the position since this one read it. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
}

export interface Taken {
  position: Position;
  /** The integrations that have new deliveries; what had been taken before makes none. */
  receivers: number[];
  /** Messages that are no events. */
  invalid: { sequence: number; reason: string }[];
  /** What RECORDED has passed over, and is now noted to be fetched from the log. */
  missed: IdRange[];
}

interface ReadEvent {
  event: Event;
  traceparent: string | null;
  /** The public shape as JSON text. */
  json: string;
}

/**
 * Takes messages of RECORDED that follow on the expected position, in one transaction: a delivery for each integration that wants the event,
 * what was passed over, and the position. The same events under another sequence (a stream that was made again) change nothing, by the
 * deliveries' key; and where those have been swept, by the id up to which they have.
 */
export async function takeEvents(
  db: Database<IntegrationsTables>,
  expected: Position,
  { incarnation, messages }: { incarnation: string; messages: readonly BusMessage[] },
): Promise<Taken> {
  const read = messages.map(({ payload, sequence }) => ({ sequence, ...readEvent(payload) }));
  const events = read.filter((one) => 'event' in one);
  const ids = events.map(({ event }) => event.id);
  const lastEventId = Math.max(expected.lastEventId, ...ids);
  const position = { incarnation, lastSequence: messages.at(-1)!.sequence, lastEventId };
  const taken = await db.transaction(async (trx) => {
    const [{ prunedEventId, ...current }, integrations] = await Promise.all([lockIntake(trx), findEnabled(trx)]);
    if (current.incarnation !== expected.incarnation || current.lastSequence !== expected.lastSequence) {
      throw new PositionMovedError(`RECORDED has not been taken up to ${expected.lastSequence}, as was expected`);
    }
    const wantedFrom = Math.min(...integrations.map(({ fromEventId }) => fromEventId)) + 1;
    const missed = missedBetween(current.lastEventId, ids, wantedFrom);
    const receivers = await deliver(trx, integrations, events, prunedEventId);
    await insertMissed(trx, missed);
    movePosition(trx, position);
    return { receivers, missed };
  });
  return { position, ...taken, invalid: read.filter((one) => 'reason' in one) };
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
  const found = events.map((event) => ({ event, json: JSON.stringify(event), traceparent: null }));
  return db.transaction(async (trx) => {
    const { prunedEventId } = await lockIntake(trx);
    if (!(await shortenMissed(trx, range, through))) return null;
    return deliver(trx, await findEnabled(trx), found, prunedEventId);
  });
}

/** Makes the deliveries to those that want the events; what is as old as what has been swept makes none. */
function deliver(
  trx: Transaction<IntegrationsTables>,
  integrations: readonly EnabledIntegration[],
  events: readonly ReadEvent[],
  prunedEventId: number,
): Promise<number[]> {
  const wanted = events.flatMap(({ event, json, traceparent }) => {
    const receivers = integrations.filter((integration) => wants(integration, event)).map(({ id }) => id);
    if (receivers.length === 0 || event.id <= prunedEventId) return [];
    // JSON, because a name with NUL in it would be refused as text; only its hash is kept.
    const orderingKey = event.featureName === null ? null : JSON.stringify(event.featureName);
    return [{ id: event.id, json, traceparent, orderingKey, receivers }];
  });
  return insertDeliveries(trx, wanted);
}

/** Of the envelope only what is used here, so that a release that changes the rest loses nothing that lies in the stream. */
const envelopeSchema = z.object({ traceparent: z.string().nullish().catch(null) });

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
