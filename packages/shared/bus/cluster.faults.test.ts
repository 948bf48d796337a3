// Three real servers with replicated streams. Proves: the keeper alone changes the replicas; NATS's refusal is a
// sentence and ends nothing; no acknowledged message is lost or handled twice, whatever a minority of the servers
// suffers.
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { type ClusterServer, startTestCluster, type TestCluster } from '@yardarm/testing/nats-cluster';
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

/** Servers of a busy machine elect a leader and catch up within seconds. */
const recoveryLimitMs = 60_000;

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

/** A client of the events service, which may ask for EVENTS. */
async function withManager<T>(use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>): Promise<T> {
  const connection = await dial(cluster.urlOf('events'), '_INBOX.events.x', cluster.settings.NATS_CA_FILE);
  try {
    return await use(await jetstreamManager(connection, { checkAPI: false }));
  } finally {
    await connection.close();
  }
}

const eventsInfo = () => withManager((manager) => manager.streams.info('EVENTS'));

async function untilServed(): Promise<void> {
  await pollUntil(async () => {
    const bus = await busOf('events', { replicas: 3 });
    try {
      await bus.ensureStreams(['EVENTS']);
    } finally {
      await bus.drain();
    }
  }, recoveryLimitMs);
}

async function untilAllCurrent(): Promise<void> {
  await pollUntil(async () => {
    const { cluster: of } = await eventsInfo();
    expect(of?.leader).toBeTruthy();
    expect(of?.replicas?.filter(({ current, offline }) => current && !offline)).toHaveLength(2);
  }, recoveryLimitMs);
}

const serverOf = (name: string | undefined) => cluster.servers.find((server) => server.name === name)!;
async function leader(): Promise<ClusterServer> {
  return serverOf((await eventsInfo()).cluster?.leader);
}
async function follower(): Promise<ClusterServer> {
  return serverOf((await eventsInfo()).cluster?.replicas?.[0]?.name);
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
  }, recoveryLimitMs);
  expect(keeper.streamProblem()).toBeNull();
  // It is the same stream for its readers.
  expect((await keeper.streamInfo('SIGNALS')).incarnation).toBe(incarnation);

  const withoutSettings = await busOf('signals');
  await withoutSettings.ensureStreams(['SIGNALS']);
  expect(await config()).toEqual({ replicas: 3, tags: ['disk:fast'] });

  const flags = await busOf('flags', { replicas: 1 });
  await flags.ensureStreams(['EVENTS']);
  expect((await eventsInfo()).config.num_replicas).toBe(3);
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
  expect(bus.streamProblem()).toMatch(/^EVENTS should have 5 replicas, and NATS refuses \(.*NATS_STREAM_REPLICAS/);
  expect((await eventsInfo()).config.num_replicas).toBe(3);
  const flags = await busOf('flags');
  expect(await flags.publish('evt.flags.x', {}, { msgId: crypto.randomUUID() })).toMatchObject({ duplicate: false });

  const unknownTag = await busOf('events', { replicas: 3, placementTags: ['zone:z'] });
  await unknownTag.ensureStreams(['EVENTS']);
  expect(unknownTag.streamProblem()).toContain('the tags zone:z');

  const right = await busOf('events', { replicas: 3 });
  await right.ensureStreams(['EVENTS']);
  expect(right.streamProblem()).toBeNull();
});

/** The files with the messages of a stream. */
function blocksOf(server: ClusterServer): string[] {
  const all = readdirSync(server.storeDir, { recursive: true, encoding: 'utf8' });
  return all
    .filter((file) => file.includes('streams/EVENTS/msgs/') && file.endsWith('.blk'))
    .map((file) => path.join(server.storeDir, file));
}

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = bytes[middle]! ^ 0xff;
  writeFileSync(file, bytes);
}

async function restart(server: ClusterServer, damage: () => void = () => {}): Promise<void> {
  await server.kill();
  damage();
  server.start();
}

const faults: [string, () => Promise<void>][] = [
  ['kill -9 of a follower', async () => restart(await follower())],
  ['kill -9 of the leader', async () => restart(await leader())],
  [
    'kill -9 of two, one after the other back',
    async () => {
      const two = [await leader(), await follower()];
      for (const server of two) await server.kill();
      for (const server of two) server.start();
    },
  ],
  [
    'kill -9 of all three',
    async () => {
      for (const server of cluster.servers) await server.kill();
      for (const server of cluster.servers) server.start();
    },
  ],
  [
    'the leader paused for 15 s',
    async () => {
      const paused = await leader();
      paused.pause();
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      paused.resume();
    },
  ],
  [
    'a follower with an empty store',
    async () => {
      const server = await follower();
      await restart(server, server.wipe);
    },
  ],
  [
    'the leader with an empty store',
    async () => {
      const server = await leader();
      await restart(server, server.wipe);
    },
  ],
  [
    'a follower with a truncated block',
    async () => {
      const server = await follower();
      await restart(server, () => {
        for (const file of blocksOf(server)) truncateSync(file, Math.floor(statSync(file).size / 2));
      });
    },
  ],
  [
    'a follower with a flipped byte',
    async () => {
      const server = await follower();
      await restart(server, () => blocksOf(server).forEach(flipByte));
    },
  ],
  [
    'the leader with a flipped byte',
    async () => {
      const server = await leader();
      await restart(server, () => blocksOf(server).forEach(flipByte));
    },
  ],
  [
    'the leader with a truncated block',
    async () => {
      const server = await leader();
      await restart(server, () => {
        for (const file of blocksOf(server)) truncateSync(file, Math.floor(statSync(file).size / 2));
      });
    },
  ],
];

test('no acknowledged message is lost or handled twice, and readers and publishers go on by themselves', async () => {
  await untilAllCurrent();
  const events = await busOf('events', { replicas: 3 });
  const flags = await busOf('flags', { replicas: 3 });
  const journal = await startJournal({ publisher: flags, reader: events });
  try {
    for (const [name, cause] of faults) {
      await journal.acknowledged(50, recoveryLimitMs);
      const doubledBefore = journal.countDoubled();
      const at = performance.now();
      await cause();
      const caused = performance.now();
      await journal.acknowledged(20, recoveryLimitMs);
      const servedMs = Math.round(journal.lastGapMs(at));
      await untilAllCurrent();
      const lost = await journal.findLost(recoveryLimitMs);
      const doubled = journal.countDoubled() - doubledBefore;
      console.log(
        `${name}: lost ${lost.length}, doubled ${doubled}, the fault took ${Math.round(caused - at)} ms, served again after ${servedMs} ms`,
      );
    }
    await journal.stopPublishing();
    expect(await journal.findLost(recoveryLimitMs)).toEqual([]);
    expect(journal.countDoubled()).toBe(0);
    console.log(`${journal.countAcknowledged()} messages were acknowledged`);
  } finally {
    await journal.stopPublishing();
    await journal.stop();
  }
});
