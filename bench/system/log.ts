import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { type EventType, eventSubject, type PublishedEvent } from '@yardarm/shared/contracts/events';
import { createLogger } from '@yardarm/shared/log';
import { analyse } from './databases.repo.ts';
import { copyEvents } from './log.repo.ts';
import type { Yardarm } from './yardarm.ts';

/** Event types that flags emits in a busy system, the most frequent first. */
export const seededTypes: readonly EventType[] = [
  ...(['feature-updated', 'feature-environment-enabled', 'feature-environment-disabled'] as const),
  ...(['feature-strategy-update', 'feature-strategy-add', 'feature-strategy-remove', 'feature-created'] as const),
  ...([
    'feature-variants-updated',
    'feature-archived',
    'feature-revived',
    'feature-stale-on',
    'feature-tagged',
  ] as const),
];

/** The size of a large installation: of a million events a flag has 200 and a project 50,000. */
export const seededProjects = Array.from({ length: 20 }, (_, n) => `team-${n}`);
const seededFlags = 5_000;
const seededUsers = 50;

/** Words in one of three events, and in one of a hundred thousand. */
export const commonWord = 'rollout';
export const rareWord = 'zanzibar';
const rareEvery = 100_000;
const words = ['gradual', 'checkout', 'payment', 'banner', 'search', 'cache', 'mobile', 'beta', 'legacy', 'pricing'];

export const seededFlag = (n: number) => `seeded-flag-${n % seededFlags}`;

/**
 * The `n`th event of a log, always the same except for its id and time. Types, projects, flags and words have
 * proportions that give every filter of a search work. An event takes about a kilobyte in the log.
 */
export function seededEvent(n: number): PublishedEvent {
  // Multiplicative hashing (Knuth's constant), so that types and flags are not correlated.
  const scattered = Math.imul(n, 2_654_435_761) >>> 0;
  const user = scattered % seededUsers;
  const flag = seededFlag(scattered);
  const word = words[n % words.length]!;
  // Not at 0: the log already has the events of making the flags, so the first numbers are skipped.
  const rare = n % rareEvery === rareEvery / 2 ? ` ${rareWord}` : '';
  const common = n % 3 === 0 ? ` ${commonWord}` : '';
  const data = {
    ...{ name: flag, description: `The ${word} of release ${n}${common}${rare}`, type: 'release', stale: false },
    strategies: [{ name: 'default', parameters: { percent: String(scattered % 100), stickiness: 'userId' } }],
  };
  return {
    ...{
      eventId: randomUUIDv7(),
      version: 1,
      source: 'flags',
      type: seededTypes[(scattered >>> 8) % seededTypes.length]!,
    },
    ...{ createdAt: new Date().toISOString(), createdBy: `person-${user}@example.org`, createdByUserId: 1_000 + user },
    ...{ createdByUsername: `person-${user}`, environment: scattered % 2 === 0 ? 'production' : 'development' },
    // A flag stays in its project.
    ...{ project: seededProjects[(scattered % seededFlags) % seededProjects.length]!, featureName: flag },
    ...{ data, preData: { ...data, stale: true }, tags: [], requestId: null, traceparent: null },
  };
}

export function connectBench({ natsUrl }: Pick<Yardarm, 'natsUrl'>): Promise<Bus> {
  return connectBus({
    url: natsUrl,
    name: 'bench',
    prefix: '',
    log: createLogger({ service: 'bench', level: 'error' }),
  });
}

/** As many as a relay with many flags has in flight. More does not make one process faster. */
const inFlight = 512;

/** Publishes seeded events to EVENTS as a relay does, with many in flight; returns the duration in seconds. */
export async function publishEvents(bus: Bus, first: number, count: number): Promise<number> {
  const startedAt = performance.now();
  let next = first;
  const work = async () => {
    for (let n = next++; n < first + count; n = next++) {
      const event = seededEvent(n);
      await bus.publish(eventSubject(event), event, { msgId: event.eventId });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (performance.now() - startedAt) / 1_000;
}

export async function logSize({ api }: Pick<Yardarm, 'api'>): Promise<number> {
  return (await api.search({ limit: 1 })).totalEvents;
}

/** The maximum lag of the recorder. Flags reads the waiting events too, and they use memory of NATS. */
const maxLag = 20_000;

/**
 * The number of events that pass through the stream; the others are copies of them. Each takes half a millisecond of
 * CPU for all its consumers. For a million this would be most of the time of the rows that search. One of them contains
 * the rare word, and each flag has twenty.
 */
const streamedEvents = 100_000;

/** Fills the log up to `count` events: the first through the stream and the recorder, then copies of those. */
export async function fillLog(yardarm: Yardarm, count: number): Promise<void> {
  const bus = await connectBench(yardarm);
  const streamed = Math.min(count, streamedEvents);
  for (let published = await logSize(yardarm); published < streamed; ) {
    const chunk = Math.min(maxLag, streamed - published);
    await publishEvents(bus, published, chunk);
    published += chunk;
    await untilLogged(yardarm, published - maxLag / 2);
  }
  await untilLogged(yardarm, streamed);
  await bus.drain();
  await copyEvents(yardarm.databaseUrl, count);
  // In production autovacuum has run long before a log has this size.
  await analyse(yardarm.databaseUrl, 'events');
}

/** A recorder without progress for this long is stuck. */
const stallLimitMs = 60_000;

async function untilLogged(yardarm: Yardarm, count: number): Promise<void> {
  let size = -1;
  let progressAt = Date.now();
  while (size < count) {
    const now = await logSize(yardarm);
    if (now !== size) progressAt = Date.now();
    size = now;
    if (Date.now() - progressAt > stallLimitMs) throw new Error(`the log is stuck at ${size} of ${count} events`);
    if (size < count) await sleep(100);
  }
}
