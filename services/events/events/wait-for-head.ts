import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { type Publisher, publishers, publishPending } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import { findPosition } from '../recording/recordings.repo.ts';

/** A batch of the recorder is some tens of milliseconds; a look is one row. */
const lookAgainMs = 10;
/** A stream that was lost is noticed by the relays within seconds, and then asked for again; each look asks four services. */
const askAgainMs = 100;
/** What is left to answer in: a search takes less by far, and a refusal must come before the caller has given up. */
const answerMs = 500;

/**
 * Waits until the log holds every event of a change that was answered before now: first until each service that publishes has what it
 * committed in EVENTS, then until all that EVENTS holds is recorded. Throws `unavailable` when a service cannot say so, or the deadline
 * comes too near; nothing was done then.
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
    await pause(askAgainMs);
    events = await publishedEvents(bus, { ...context, deadline: until });
  }
  for (;;) {
    const { incarnation, lastSequence } = await findPosition(db);
    if (events.messages === 0 || (incarnation === events.incarnation && lastSequence >= events.lastSequence)) return;
    await pause(lookAgainMs);
  }
}

/** EVENTS once it holds all that was committed before now; null when it is not the stream that the services published to. */
async function publishedEvents(
  bus: Bus,
  context: RequestContext,
): Promise<Awaited<ReturnType<Bus['streamInfo']>> | null> {
  const incarnations = await Promise.all(publishers.map((service) => incarnationOf(bus, service, context)));
  const events = await bus.streamInfo('EVENTS');
  const isTheirs = incarnations.every((incarnation) => incarnation === null || incarnation === events.incarnation);
  return isTheirs ? events : null;
}

async function incarnationOf(bus: Bus, service: Publisher, context: RequestContext): Promise<string | null> {
  try {
    // On the own behalf: the actor's grants are of no use there.
    return (await bus.request(publishPending[service], {}, { ...context, actor: null })).incarnation;
  } catch (error) {
    throw new AppError(
      'unavailable',
      `Whether the event log holds all that ${service} did cannot be said now. Try again, or search without waiting.`,
      { cause: error },
    );
  }
}
