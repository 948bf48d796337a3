import { type BusMessage, isSamePosition } from '@yardarm/shared/bus';
import { type Event, eventSchema } from '@yardarm/shared/contracts/events';
import { type Database, isOfEpoch, type Transaction } from '@yardarm/shared/db';
import { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { insertDeliveries } from '../deliveries/deliveries.repo.ts';
import { receives } from '../integrations/integration.ts';
import { type EnabledIntegration, findEnabledIntegrations } from '../integrations/integrations.repo.ts';
import { insertMissed, shortenMissed } from './missed-events.repo.ts';
import { type IdRange, missedBetween } from './missed-events.ts';
import { deferPosition, type IntakePosition, lockIntake } from './position.repo.ts';

export interface HandledBatch {
  position: IntakePosition;
  receivers: number[];
  invalid: { sequence: number; reason: string }[];
  /** The ids that RECORDED skipped, which are now to be fetched from the log. */
  missed: IdRange[];
}

interface ReadEvent {
  event: Event;
  traceparent: string | null;
  json: string;
}

/**
 * Handles messages of RECORDED from the expected position on in one transaction: inserts a delivery for each
 * integration that receives the event and the ranges that RECORDED skipped, and moves the position. If the stream was
 * created again and the same events have other sequences, the primary key of deliveries ignores them. `prunedEventId`
 * excludes those whose deliveries were swept. It drops messages of another epoch of the database.
 */
export async function handleEvents(
  db: Database<IntegrationsTables>,
  expected: IntakePosition,
  { incarnation, messages }: { incarnation: string; messages: readonly BusMessage[] },
  epoch: string | null = null,
): Promise<HandledBatch> {
  const current = messages.filter((message) => isOfEpoch(message, epoch));
  const read = current.map(({ payload, sequence }) => ({ sequence, ...readEvent(payload) }));
  const events = read.filter((one) => 'event' in one);
  const ids = events.map(({ event }) => event.id);
  const lastEventId = Math.max(expected.lastEventId, ...ids);
  const position = { incarnation, lastSequence: messages.at(-1)!.sequence, lastEventId };
  const handled = await db.transaction(async (trx) => {
    const [intake, integrations] = await Promise.all([lockIntake(trx), findEnabledIntegrations(trx)]);
    if (!isSamePosition(intake, expected)) {
      throw new Error(`another replica has moved the position, which was ${expected.lastSequence}`);
    }
    const firstNeeded = Math.min(...integrations.map(({ fromEventId }) => fromEventId)) + 1;
    const missed = missedBetween(intake.lastEventId, ids, firstNeeded);
    const receivers = await deliver(trx, integrations, events, intake.prunedEventId);
    await insertMissed(trx, missed);
    deferPosition(trx, position);
    return { receivers, missed };
  });
  return { position, ...handled, invalid: read.filter((one) => 'reason' in one) };
}

/**
 * Handles events of the log that belong to a missed range, up to `through`. Returns the integrations that have new
 * deliveries, or null if another replica has shortened the range.
 */
export async function handleMissed(
  db: Database<IntegrationsTables>,
  range: IdRange,
  { events, through }: { events: readonly Event[]; through: number },
): Promise<number[] | null> {
  const found = events.map((event) => ({ event, json: JSON.stringify(event), traceparent: null }));
  return db.transaction(async (trx) => {
    const { prunedEventId } = await lockIntake(trx);
    if (!(await shortenMissed(trx, range, through))) return null;
    return deliver(trx, await findEnabledIntegrations(trx), found, prunedEventId);
  });
}

/** Inserts the deliveries. Events up to `prunedEventId` get none, because their deliveries may have been swept. */
function deliver(
  trx: Transaction<IntegrationsTables>,
  integrations: readonly EnabledIntegration[],
  events: readonly ReadEvent[],
  prunedEventId: number,
): Promise<number[]> {
  const deliverable = events.flatMap(({ event, json, traceparent }) => {
    const receivers = integrations.filter((integration) => receives(integration, event)).map(({ id }) => id);
    if (receivers.length === 0 || event.id <= prunedEventId) return [];
    // JSON, because Postgres refuses a text with NUL. Only the hash is stored.
    const orderingKey = event.featureName === null ? null : JSON.stringify(event.featureName);
    return [{ id: event.id, json, traceparent, orderingKey, receivers }];
  });
  return insertDeliveries(trx, deliverable);
}

/** Accepts any envelope. A traceparent has only plausible characters, which Postgres can store. */
const envelopeSchema = z.object({ traceparent: z.nullable(z.string().regex(/^[0-9a-f-]{1,100}$/)).catch(null) });

function readEvent(payload: unknown): ReadEvent | { reason: string } {
  const parsed = eventSchema.safeParse(payload);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { reason: problems.join('; ') };
  }
  try {
    return { event: parsed.data, json: JSON.stringify(parsed.data), ...envelopeSchema.parse(payload) };
  } catch (error) {
    // The event is nested too deeply for JSON.stringify.
    return { reason: (error as Error).message };
  }
}
