import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, hasReached, type RequestContext } from '@yardarm/shared/bus';
import { type Publisher, publishers, publishPending } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import { findPosition } from '../recording/recordings.repo.ts';

/** A batch of the recorder takes some tens of milliseconds, and a poll reads one row. */
const positionPollMs = 10;
/** Relays notice a lost stream within seconds. Each poll sends a request to every publisher. */
const publisherPollMs = 100;
/** The time left to answer in. A search takes much less, and a refusal must precede the deadline. */
const answerMs = 500;

/**
 * Waits until the log holds the events of every change that was answered before this call. It first waits until each
 * publisher has published its outbox to EVENTS, then until all of EVENTS is recorded. Throws `unavailable` when a
 * publisher does not answer, or when too little time is left before the deadline.
 */
export async function waitForHead(
  { db, bus }: { db: Database<EventsTables>; bus: Bus },
  context: RequestContext,
): Promise<void> {
  const until = context.deadline - answerMs;
  const pause = async (ms: number) => {
    if (Date.now() + ms > until) {
      throw new AppError('unavailable', 'The event log has not caught up yet. Try again, or search without waiting.');
    }
    await sleep(ms);
  };

  let events = await publishedEvents(bus, { ...context, deadline: until });
  while (events === null) {
    await pause(publisherPollMs);
    events = await publishedEvents(bus, { ...context, deadline: until });
  }
  for (;;) {
    if (events.messages === 0 || hasReached(await findPosition(db), events)) return;
    await pause(positionPollMs);
  }
}

/** The state of EVENTS after every publisher published its outbox. Null when a publisher used another incarnation. */
async function publishedEvents(
  bus: Bus,
  context: RequestContext,
): Promise<Awaited<ReturnType<Bus['streamInfo']>> | null> {
  const incarnations = await Promise.all(publishers.map((service) => incarnationOf(bus, service, context)));
  const events = await bus.streamInfo('EVENTS');
  const isSameStream = incarnations.every((incarnation) => incarnation === null || incarnation === events.incarnation);
  return isSameStream ? events : null;
}

async function incarnationOf(bus: Bus, service: Publisher, context: RequestContext): Promise<string | null> {
  try {
    // The service asks on its own behalf, so the request has no actor.
    return (await bus.request(publishPending[service], {}, { ...context, actor: null })).incarnation;
  } catch (error) {
    throw new AppError(
      'unavailable',
      `${service} did not confirm that its events are published. Try again, or search without waiting.`,
      { cause: error },
    );
  }
}
