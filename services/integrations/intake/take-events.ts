import type { BusMessage } from '@yardarm/shared/bus';
import { type Event, eventSchema } from '@yardarm/shared/contracts/events';
import type { Database, Kysely } from '@yardarm/shared/db';
import { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { insertDeliveries, type Made } from '../deliveries/claims.repo.ts';
import type { Claimed } from '../deliveries/take-turn.ts';
import { type Filter, type StoredIntegration, wants } from '../integrations/integration.ts';
import { areEnabled, findEnabled } from '../integrations/integrations.repo.ts';
import { shortenMissed } from './missed-events.repo.ts';
import { type IdRange, missedBetween } from './missed-events.ts';
import { lockIntake, movingPosition, type Position, readPosition, standingPosition } from './position.repo.ts';

/** Another replica has moved the position since this one read it. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
}

/** Up to where RECORDED has been taken, and who is sent something. Whether both are still so is looked at by the statement that takes more. */
export interface Believed extends Position {
  integrations: readonly (StoredIntegration & Filter)[];
}

export async function readBelieved(db: Kysely<IntegrationsTables>): Promise<Believed> {
  // The position last: if it has not moved when more is taken, the statement looks at the integrations too.
  const integrations = await findEnabled(db);
  return { integrations, ...(await readPosition(db)) };
}

/** How many of the new deliveries may be claimed at once (insertDeliveries). */
export interface TakeLimits {
  atOnce: number;
  inAll: number;
  claimMs: number;
}

export interface Taken {
  believed: Believed;
  /** New deliveries that are to be sent now. */
  claimed: Claimed[];
  /** The integrations that have other new deliveries; what had been taken before makes none. */
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
 * the position, in one statement. The same events under another sequence (a stream that was made again) change nothing, by the deliveries' key; and where
 * those have been swept, by the id up to which they have.
 */
export async function takeEvents(
  db: Database<IntegrationsTables>,
  believed: Believed,
  { incarnation, messages }: { incarnation: string; messages: readonly BusMessage[] },
  limits: TakeLimits,
): Promise<Taken> {
  const setAside: Taken['setAside'] = [];
  const events: ReadEvent[] = [];
  for (const { payload, sequence } of messages) {
    const read = readEvent(payload);
    if ('reason' in read) setAside.push({ sequence, reason: read.reason });
    else events.push(read);
  }
  const ids = events.map(({ event }) => event.id);
  const { lastEventId } = believed;
  const position = {
    incarnation,
    lastSequence: messages.at(-1)!.sequence,
    lastEventId: Math.max(lastEventId, ...ids),
  };
  let isLocked = false;
  for (let { integrations } = believed; ; isLocked = true) {
    const wantedFrom = Math.min(...integrations.map(({ fromEventId }) => fromEventId)) + 1;
    const missed = missedBetween(lastEventId, ids, wantedFrom);
    const wanted = wantedBy(integrations, events);
    const receivers = new Set(wanted.deliveries.map(({ integrationId }) => integrationId));
    const claiming = { ...limits, integrations: integrations.filter(({ id }) => receivers.has(id)) };
    const taking = movingPosition(believed, position, missed, areEnabled(integrations));
    const take = (rows: Kysely<IntegrationsTables>) => insertDeliveries(rows, taking, wanted, claiming);
    const made = isLocked ? await behindLock(db, take) : await take(db.kysely);
    if (made) {
      const claimed = claimedOf(made, { integrations, events });
      return { believed: { ...position, integrations }, claimed, receivers: unclaimedOf(made), setAside, missed };
    }
    const now = await readBelieved(db.kysely);
    if (now.incarnation !== believed.incarnation || now.lastSequence !== believed.lastSequence) {
      throw new PositionMovedError(`RECORDED has not been taken up to ${believed.lastSequence}, as was believed`);
    }
    ({ integrations } = now);
  }
}

/** Waits for whoever holds the position, so that the statement sees what that one has done. */
function behindLock<R>(
  db: Database<IntegrationsTables>,
  take: (rows: Kysely<IntegrationsTables>) => Promise<R>,
): Promise<R> {
  return db.transaction(async (trx) => {
    await lockIntake(trx);
    return take(trx);
  });
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
    await lockIntake(trx);
    if (!(await shortenMissed(trx, range, through))) return null;
    const found = events.map((event) => ({ event, json: JSON.stringify(event), traceparent: null }));
    const claiming = { integrations: [], atOnce: 0, inAll: 0, claimMs: 0 };
    const made = await insertDeliveries(trx, standingPosition, wantedBy(await findEnabled(trx), found), claiming);
    return unclaimedOf(made ?? []);
  });
}

/** The deliveries to those that want the events, and the events that somebody wants. */
function wantedBy(integrations: Believed['integrations'], events: readonly ReadEvent[]) {
  const deliveries = events.flatMap(({ event }) =>
    integrations
      .filter((integration) => wants(integration, event))
      // JSON, because a name with NUL in it would be refused as text; only its hash is kept.
      .map(({ id }) => ({
        integrationId: id,
        eventId: event.id,
        featureName: event.featureName === null ? null : JSON.stringify(event.featureName),
      })),
  );
  const wantedIds = new Set(deliveries.map(({ eventId }) => eventId));
  const wanted = events
    .filter(({ event }) => wantedIds.has(event.id))
    .map(({ event, json, traceparent }) => ({ id: event.id, event: json, traceparent }));
  return { deliveries, events: wanted };
}

function unclaimedOf(made: readonly Made[]): number[] {
  return [...new Set(made.filter(({ claim }) => claim === null).map(({ integrationId }) => integrationId))];
}

/** What was claimed as it was made, by integration. */
function claimedOf(
  made: readonly Made[],
  { integrations, events }: { integrations: Believed['integrations']; events: readonly ReadEvent[] },
): Claimed[] {
  const byId = new Map(events.map((read) => [read.event.id, read]));
  return integrations.flatMap((integration) => {
    const deliveries = made.flatMap(({ claim, ...ids }) => {
      if (claim === null || ids.integrationId !== integration.id) return [];
      const { json, traceparent } = byId.get(ids.eventId)!;
      return [{ ...ids, claim, attempt: 1, scheduled: 1, progress: null, eventJson: json, traceparent }];
    });
    return deliveries.length > 0 ? [{ integration, deliveries }] : [];
  });
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
