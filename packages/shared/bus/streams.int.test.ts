// Proves: replicas create one stream, a change of configuration keeps its messages, a recreated stream is reported and
// loses no message.
import { jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { longTest, startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { isAtLeast, minimumForReplicas } from './server-version.ts';
import { dial, keepingLogger } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
let count = 0;
const open: Bus[] = [];
const { log } = keepingLogger();

beforeAll(async () => {
  nats = await startTestNats();
});
beforeEach(() => {
  count += 1;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((bus) => bus.drain()));
});
afterAll(() => nats.remove());

async function replica(): Promise<Bus> {
  const bus = await connectBus({ url: nats.url, name: 'events', prefix: `test-${count}`, log });
  open.push(bus);
  return bus;
}

test('ten replicas create the streams and a durable at once', async () => {
  const replicas = await Promise.all(Array.from({ length: 10 }, () => replica()));
  const handled: number[] = [];
  const consumptions = await Promise.all(
    replicas.map(async (bus) => {
      await bus.ensureStreams(['EVENTS', 'RECORDED', 'SIGNALS']);
      return bus.consume({ stream: 'EVENTS', durable: 'd' }, async ({ sequence }) => void handled.push(sequence));
    }),
  );
  const infos = await Promise.all(replicas.map((bus) => bus.streamInfo('EVENTS')));
  expect(new Set(infos.map(({ incarnation }) => incarnation)).size).toBe(1);
  await replicas[0]?.publish('evt.flags.feature-created', {}, { msgId: 'x' });
  await consumptions[0]?.processAll();
  expect(handled).toEqual([1]);
});

test('a stream with another configuration is updated with its messages, and keeps the settings of the operator', async () => {
  const raw = await dial(nats.url);
  const jsm = await jetstreamManager(raw);
  const name = `test-${count}_EVENTS`;
  const subjects = [`test-${count}.evt.flags.>`];
  await jsm.streams.add({
    name,
    subjects,
    max_age: nanos(3_600_000),
    max_bytes: 50_000_000,
    description: 'of the operator',
  });
  await raw.request(`test-${count}.evt.flags.feature-created`, '{}');
  const bus = await replica();
  await bus.ensureStreams(['EVENTS']);
  const { config, state } = await jsm.streams.info(name);
  expect(state.messages).toBe(1);
  expect(config).toMatchObject({
    subjects: [`test-${count}.evt.>`],
    max_age: nanos(7 * 24 * 3_600_000),
    duplicate_window: nanos(120_000),
    max_bytes: 50_000_000,
    description: 'of the operator',
    // A stream of the release before has neither.
    ...{ deny_purge: true, deny_delete: true },
  });
  await raw.close();
});

test('three copies are refused by a server that is too old for them, and by one that is alone', async () => {
  const { serverVersion } = (await replica()).state();
  const connecting = connectBus({
    url: nats.url,
    name: 'events',
    prefix: `test-${count}`,
    log,
    shape: { replicas: 3 },
  });
  if (!isAtLeast(serverVersion ?? '', minimumForReplicas)) {
    await expect(connecting).rejects.toMatchObject({ name: 'ConfigError' });
    return;
  }
  const bus = await connecting;
  open.push(bus);
  await expect(bus.ensureStreams(['EVENTS'])).rejects.toMatchObject({ code: 'unavailable' });
  expect(bus.streamProblem()).toMatch(/^NATS refuses 3 replicas for the stream EVENTS/);
});

test('a recreated stream is reported once, and a bus that needs it creates it', async () => {
  const bus = await replica();
  await bus.ensureStreams(['EVENTS']);
  const reported: string[] = [];
  const stop = bus.onStreamRecreated('EVENTS', (incarnation) => reported.push(incarnation));
  const before = await bus.streamInfo('EVENTS');
  const raw = await dial(nats.url);
  await (await jetstreamManager(raw)).streams.delete(`test-${count}_EVENTS`);
  await raw.close();
  await pollUntil(async () => expect(reported).toHaveLength(1));
  const after = await bus.streamInfo('EVENTS');
  expect(reported).toEqual([after.incarnation]);
  expect(after.incarnation).not.toBe(before.incarnation);
  expect(after.lastSequence).toBe(0);
  stop();
});

longTest('a stream that is deleted while replicas make it again has each message that they publish', async () => {
  const replicas = await Promise.all(Array.from({ length: 6 }, () => replica()));
  for (const bus of replicas) await bus.ensureStreams(['EVENTS']);
  const raw = await dial(nats.url);
  const { streams } = await jetstreamManager(raw);
  // Without a pause, the stream of about every second round lost its files.
  for (let round = 0; round < 6; round += 1) {
    const { incarnation } = await replicas[0]!.streamInfo('EVENTS');
    const makingAgain = replicas.map((bus) =>
      pollUntil(async () => {
        await bus.ensureStreams(['EVENTS']);
        expect((await bus.streamInfo('EVENTS')).incarnation).not.toBe(incarnation);
      }),
    );
    await streams.delete(`test-${count}_EVENTS`);
    await Promise.all(makingAgain);
    for (const bus of replicas) await bus.publish('evt.flags.feature-created', {}, { msgId: crypto.randomUUID() });
    const read: number[] = [];
    const reading = replicas[0]!.read(
      { stream: 'EVENTS', maxBatch: 10, from: async () => ({ incarnation: null, lastSequence: 0 }) },
      async ({ messages }) => void read.push(...messages.map(({ sequence }) => sequence)),
    );
    await pollUntil(async () => expect(read).toEqual([1, 2, 3, 4, 5, 6]));
    await reading.stop();
  }
  await raw.close();
});
