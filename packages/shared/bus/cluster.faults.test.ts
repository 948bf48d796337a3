// Three real servers with replicated streams. Proves: the keeper alone changes the replicas; NATS's refusal is a
// sentence and ends nothing; no acknowledged message is lost or handled twice, whatever a minority of the servers
// suffers.
import { jetstreamManager } from '@nats-io/jetstream';
import { clusterLimitMs, eventsInfo, minorityFaults, untilAllCurrent } from '@yardarm/testing/cluster-faults';
import { startTestCluster, type TestCluster } from '@yardarm/testing/nats-cluster';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Bus } from './bus.ts';
import type { StreamShape } from './bus-options.ts';
import { connectBus } from './connect-bus.ts';
import { dial, keepingLogger } from './testing/bus-rig.ts';
import { startJournal } from './testing/journal.ts';
import { pollUntil } from './waiting.ts';

let cluster: TestCluster;
const open: Bus[] = [];
const { log, lines } = keepingLogger();

beforeAll(async () => {
  cluster = await startTestCluster();
  await untilServed();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((bus) => bus.drain()));
  lines.length = 0;
});
afterAll(() => cluster?.stop());

async function busOf(name: 'events' | 'flags' | 'signals', shape: StreamShape = {}): Promise<Bus> {
  const tls = { ca: cluster.settings.NATS_CA_FILE };
  const bus = await connectBus({ url: cluster.urlOf(name), name, prefix: '', log, tls, shape });
  open.push(bus);
  return bus;
}

async function untilServed(): Promise<void> {
  await pollUntil(async () => {
    const bus = await busOf('events', { replicas: 3 });
    try {
      await bus.ensureStreams(['EVENTS']);
    } finally {
      await bus.drain();
    }
  }, clusterLimitMs);
}

test('a service that is no keeper makes a stream and changes none; the keeper gives it replicas and placement', async () => {
  const signals = await busOf('signals', { replicas: 1 });
  await signals.ensureStreams(['SIGNALS']);
  const config = async () => {
    const { config } = await withManagerOf('signals', (manager) => manager.streams.info('SIGNALS'));
    return { replicas: config.num_replicas, tags: config.placement?.tags };
  };
  expect(await config()).toEqual({ replicas: 1, tags: undefined });
  const { incarnation } = await signals.streamInfo('SIGNALS');

  const keeper = await busOf('signals', { replicas: 3, placementTags: ['disk:fast'] });
  // The stream is moved after it has its copies, and the keeper tries again until then.
  await pollUntil(async () => {
    await keeper.ensureStreams(['SIGNALS']);
    expect(await config()).toEqual({ replicas: 3, tags: ['disk:fast'] });
  }, clusterLimitMs);
  expect(keeper.streamProblem()).toBeNull();
  // It is the same stream for its readers.
  expect((await keeper.streamInfo('SIGNALS')).incarnation).toBe(incarnation);

  const withoutSettings = await busOf('signals');
  await withoutSettings.ensureStreams(['SIGNALS']);
  expect(await config()).toEqual({ replicas: 3, tags: ['disk:fast'] });

  const flags = await busOf('flags', { replicas: 1 });
  await flags.ensureStreams(['EVENTS']);
  expect((await eventsInfo(cluster)).config.num_replicas).toBe(3);
});

async function withManagerOf<T>(
  name: 'signals',
  use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await dial(cluster.urlOf(name), `_INBOX.${name}.x`, cluster.settings.NATS_CA_FILE);
  try {
    return await use(await jetstreamManager(connection, { checkAPI: false }));
  } finally {
    await connection.close();
  }
}

test('more replicas than servers are a sentence, and the stream is used as it is', async () => {
  const bus = await busOf('events', { replicas: 5 });
  await bus.ensureStreams(['EVENTS']);
  expect(bus.streamProblem()).toMatch(/^NATS refuses 5 replicas for the stream EVENTS \(.*NATS_STREAM_REPLICAS/);
  expect((await eventsInfo(cluster)).config.num_replicas).toBe(3);
  const flags = await busOf('flags');
  expect(await flags.publish('evt.flags.x', {}, { msgId: crypto.randomUUID() })).toMatchObject({ duplicate: false });

  const unknownTag = await busOf('events', { replicas: 3, placementTags: ['zone:z'] });
  await unknownTag.ensureStreams(['EVENTS']);
  expect(unknownTag.streamProblem()).toContain('the tags zone:z');

  const right = await busOf('events', { replicas: 3 });
  await right.ensureStreams(['EVENTS']);
  expect(right.streamProblem()).toBeNull();
});

test('no acknowledged message is lost or handled twice, and readers and publishers go on by themselves', async () => {
  await untilAllCurrent(cluster);
  const events = await busOf('events', { replicas: 3 });
  const flags = await busOf('flags', { replicas: 3 });
  const journal = await startJournal({ publisher: flags, reader: events });
  try {
    for (const { name, cause } of minorityFaults(cluster)) {
      await journal.acknowledged(50, clusterLimitMs);
      const doubledBefore = journal.countDoubled();
      const at = performance.now();
      await cause();
      const caused = performance.now();
      await journal.acknowledged(20, clusterLimitMs);
      const servedMs = journal.longestGapMs(at);
      await untilAllCurrent(cluster);
      const lost = await journal.findLost(clusterLimitMs);
      const doubled = journal.countDoubled() - doubledBefore;
      console.log(
        `${name}: lost ${lost.length}, doubled ${doubled}, the fault took ${Math.round(caused - at)} ms, served again after ${servedMs} ms`,
      );
    }
    await journal.stopPublishing();
    expect(await journal.findLost(clusterLimitMs)).toEqual([]);
    expect(journal.countDoubled()).toBe(0);
    console.log(`${journal.countAcknowledged()} messages were acknowledged`);
  } finally {
    await journal.stopPublishing();
    await journal.stop();
  }
});
