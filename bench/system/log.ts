import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import type { EventType, PublishedEvent } from '@yardarm/shared/contracts/events';
import { createLogger } from '@yardarm/shared/log';
import { analyse } from './databases.repo.ts';
import { copyEvents } from './log.repo.ts';
import type { Yardarm } from './yardarm.ts';

/** What flags emit in a busy system; the first are the most frequent. */
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

/** As large as an installation gets: a flag has 200 events, a project 50,000, of a million. */
export const seededProjects = Array.from({ length: 20 }, (_, n) => `team-${n}`);
const seededFlags = 5_000;
const seededUsers = 50;

/** In one event of three, and in one of a hundred thousand. */
export const commonWord = 'rollout';
export const rareWord = 'zanzibar';
const rareEvery = 100_000;
const words = ['gradual', 'checkout', 'payment', 'banner', 'search', 'cache', 'mobile', 'beta', 'legacy', 'pricing'];

/** The flag of the `n`th seeded event. */
export const seededFlag = (n: number) => `seeded-flag-${n % seededFlags}`;

/**
 * The `n`th event of a log, always the same but for its id: types, projects, flags and words in proportions that leave every filter
 * of a search something to do. About a kilobyte in the log.
 */
export function seededEvent(n: number): PublishedEvent {
  // A multiplication that scatters neighbours (Knuth's constant), so that types and flags do not go in step.
  const scattered = Math.imul(n, 2_654_435_761) >>> 0;
  const user = scattered % seededUsers;
  const flag = seededFlag(scattered);
  const word = words[n % words.length]!;
  // In the middle: the first ones are not of this kind, since the flags that were made are in the log before.
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

/** Connects to the system's streams. */
export function connectBench({ natsUrl }: Pick<Yardarm, 'natsUrl'>): Promise<Bus> {
  return connectBus({
    url: natsUrl,
    name: 'bench',
    prefix: '',
    log: createLogger({ service: 'bench', level: 'error' }),
  });
}

/** As a relay with many flags has on their way; more does not make one process faster. */
const inFlight = 512;

/** Publishes seeded events to EVENTS as a relay does, many on their way at once; returns how long that took, in seconds. */
export async function publishEvents(bus: Bus, first: number, count: number): Promise<number> {
  const startedAt = performance.now();
  let next = first;
  const work = async () => {
    for (let n = next++; n < first + count; n = next++) {
      const event = seededEvent(n);
      await bus.publish(`evt.${event.source}.${event.type}`, event, { msgId: event.eventId });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (performance.now() - startedAt) / 1_000;
}

/** How many events the log holds. */
export async function logSize({ api }: Pick<Yardarm, 'api'>): Promise<number> {
  return (await api.search({ limit: 1 })).totalEvents;
}

/** The recorder gets this far behind, no further: what waits in the stream is also read by flags, and takes memory of NATS. */
const ahead = 20_000;

/**
 * So many come as in life; the others are copies of them. Each costs half a millisecond of CPU on its way to all who consume it, which for
 * a million would be most of what the rows that search them take. The rare word is in one of them, and each flag in twenty.
 */
const livelyEvents = 100_000;

/** Brings the log to `count` events: the first of them through the stream and the recorder, as they come in life, then copies of those. */
export async function fillLog(yardarm: Yardarm, count: number): Promise<void> {
  const bus = await connectBench(yardarm);
  const lively = Math.min(count, livelyEvents);
  for (let published = await logSize(yardarm); published < lively; ) {
    const chunk = Math.min(ahead, lively - published);
    await publishEvents(bus, published, chunk);
    published += chunk;
    await untilLogged(yardarm, published - ahead / 2);
  }
  await untilLogged(yardarm, lively);
  await bus.drain();
  await copyEvents(yardarm.databaseUrl, count);
  // Autovacuum has been there long before a log is of this size.
  await analyse(yardarm.databaseUrl, 'events');
}

/** A recorder that stands still for this long will not go on. */
const standstillMs = 60_000;

async function untilLogged(yardarm: Yardarm, count: number): Promise<void> {
  let size = -1;
  let movedAt = Date.now();
  while (size < count) {
    const now = await logSize(yardarm);
    if (now !== size) movedAt = Date.now();
    size = now;
    if (Date.now() - movedAt > standstillMs) throw new Error(`the log stands still at ${size} of ${count} events`);
    if (size < count) await sleep(100);
  }
}
