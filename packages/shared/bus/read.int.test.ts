// Proves: a reader gets every message of a stream in order from the caller's position, despite failures of the handler
// and of the consumer, and starts at the beginning of a recreated stream. A killed server is in restart.int.test.ts.
import { jetstreamManager } from '@nats-io/jetstream';
import { longTest, startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Bus, BusMessage } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { beginning } from './stream-position.ts';
import { dial, keepingLogger } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
let bus: Bus;
let count = 0;
const { log, lines } = keepingLogger();

beforeAll(async () => {
  nats = await startTestNats();
});
beforeEach(async () => {
  count += 1;
  bus = await connectBus({ url: nats.url, name: 'test', prefix: `test-${count}`, log });
  await bus.ensureStreams(['EVENTS']);
});
afterEach(async () => {
  await bus.drain();
  lines.length = 0;
});
afterAll(() => nats.remove());

function createStore() {
  const stored = {
    incarnation: null as string | null,
    lastSequence: 0,
    numbers: [] as number[],
    batches: [] as number[],
  };
  const from = async () => ({ incarnation: stored.incarnation, lastSequence: stored.lastSequence });
  const store = async ({
    incarnation,
    messages,
  }: {
    incarnation: string;
    messages: { sequence: number; payload: unknown }[];
  }) => {
    stored.batches.push(messages.length);
    for (const { payload, sequence } of messages) {
      stored.numbers.push((payload as { number: number }).number);
      stored.lastSequence = sequence;
    }
    stored.incarnation = incarnation;
  };
  return { stored, from, store };
}

async function publish(first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1) {
    await bus.publish('evt.flags.feature-created', { number }, { msgId: `m${number}` });
  }
}
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('reads all messages in order, in batches of those available, and later messages too', async () => {
  await publish(1, 25);
  const { stored, from, store } = createStore();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, store);
  await reading.processAll();
  expect(stored.numbers).toEqual(range(1, 25));
  expect(stored.batches).toEqual([10, 10, 5]);
  await publish(26, 27);
  await reading.processAll();
  expect(stored.numbers).toEqual(range(1, 27));
  expect(await reading.lag()).toBe(0);
});

test('messages that arrive within the pace share a batch, and a full batch does not wait', async () => {
  const { stored, from, store } = createStore();
  // The pause is longer than the rest of this test takes.
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10, pace: { perEventMs: 1_000, maxMs: 1_500 } }, store);
  await publish(1, 1);
  await reading.processAll();
  await publish(2, 3);
  await publish(4, 5);
  await reading.processAll();
  expect(stored.batches).toEqual([1, 4]);
  await reading.stop();
  await publish(6, 35);
  const other = bus.read(
    { stream: 'EVENTS', from, maxBatch: 10, pace: { perEventMs: 600_000, maxMs: 600_000 } },
    store,
  );
  await other.processAll();
  expect(stored.batches).toEqual([1, 4, 10, 10, 10]);
  await other.stop();
});

test('reads after the position of its caller', async () => {
  await publish(1, 10);
  const { stored, from, store } = createStore();
  const first = bus.read({ stream: 'EVENTS', from, maxBatch: 4 }, store);
  await first.processAll();
  await first.stop();
  await publish(11, 15);
  stored.lastSequence = 7;
  const second = bus.read({ stream: 'EVENTS', from, maxBatch: 100 }, store);
  await second.processAll();
  expect(stored.numbers).toEqual([...range(1, 10), ...range(8, 15)]);
});

test('with headers only it gets the message ids in order, and each message by its sequence', async () => {
  await publish(1, 12);
  const found: BusMessage[] = [];
  const reading = bus.read(
    { stream: 'EVENTS', from: async () => beginning, maxBatch: 5, headersOnly: true },
    async ({ messages }) => void found.push(...messages),
  );
  await reading.processAll();
  expect(found.map(({ msgId, payload }) => [msgId, payload])).toEqual(range(1, 12).map((n) => [`m${n}`, undefined]));
  const { sequence, publishedAt } = found[6]!;
  expect(await bus.getMessage('EVENTS', sequence)).toEqual({
    ...found[6]!,
    ...{ payload: { number: 7 }, publishedAt, headers: expect.objectContaining({ 'Nats-Msg-Id': 'm7' }) },
  });
  expect(await bus.getMessage('EVENTS', 13)).toBe(null);
});

test('a position of another incarnation is ignored', async () => {
  await publish(1, 3);
  const { stored, from, store } = createStore();
  stored.incarnation = '2020-01-01T00:00:00Z';
  stored.lastSequence = 1_000;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, store);
  await reading.processAll();
  expect(stored.numbers).toEqual([1, 2, 3]);
});

test('with a position after the end of the stream it reads from the beginning and logs an error', async () => {
  await publish(1, 3);
  const { stored, from, store } = createStore();
  stored.incarnation = (await bus.streamInfo('EVENTS')).incarnation;
  stored.lastSequence = 1_000;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, store);
  await reading.processAll();
  expect(stored.numbers).toEqual([1, 2, 3]);
  expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ afterSequence: 1_000, lastSequence: 3 }]);
});

test('a batch whose handler throws is read again before later messages', async () => {
  await publish(1, 20);
  const { stored, from, store } = createStore();
  let failures = 0;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 5 }, async (batch) => {
    if (batch.messages[0]?.sequence === 6 && failures < 3) {
      failures += 1;
      throw new Error('deadlock detected');
    }
    await store(batch);
  });
  await reading.processAll();
  expect(failures).toBe(3);
  expect(stored.numbers).toEqual(range(1, 20));
  expect(lines.filter(({ level }) => level === 50)).toHaveLength(3);
});

test('a failed read of the position is repeated', async () => {
  await publish(1, 3);
  const { stored, from, store } = createStore();
  let asked = 0;
  const reading = bus.read(
    {
      stream: 'EVENTS',
      maxBatch: 10,
      from: async () => {
        asked += 1;
        if (asked < 3) throw new Error('the database is starting up');
        return from();
      },
    },
    store,
  );
  await reading.processAll();
  expect(stored.numbers).toEqual([1, 2, 3]);
});

test('only one batch is handled at a time', async () => {
  await publish(1, 20);
  const { stored, from, store } = createStore();
  let running = 0;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 3 }, async (batch) => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await store(batch);
    running -= 1;
  });
  await reading.processAll();
  expect(stored.numbers).toEqual(range(1, 20));
});

longTest('the order holds while its consumer is deleted repeatedly', async () => {
  const { stored, from, store } = createStore();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 7 }, store);
  const raw = await dial(nats.url);
  const jsm = await jetstreamManager(raw);
  const stream = `test-${count}_EVENTS`;
  for (let round = 0; round < 5; round += 1) {
    await publish(round * 20 + 1, round * 20 + 20);
    for await (const { name } of jsm.consumers.list(stream)) await jsm.consumers.delete(stream, name);
  }
  await reading.processAll();
  expect(stored.numbers).toEqual(range(1, 100));
  await raw.close();
});

test('a stream that was deleted and recreated is read from its beginning', async () => {
  await publish(1, 10);
  const { stored, from, store } = createStore();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 4 }, store);
  await reading.processAll();
  const before = stored.incarnation;
  const raw = await dial(nats.url);
  await (await jetstreamManager(raw)).streams.delete(`test-${count}_EVENTS`);
  await raw.close();
  // The reader recreates the stream. The messages are published again, as by an outbox.
  await pollUntil(async () => expect((await bus.streamInfo('EVENTS')).incarnation).not.toBe(before));
  await publish(1, 12);
  await reading.processAll();
  expect(stored.numbers).toEqual([...range(1, 10), ...range(1, 12)]);
  expect(stored.incarnation).not.toBe(before);
});

test('messages that the limits have removed are skipped', async () => {
  await publish(1, 10);
  const raw = await dial(nats.url);
  const jsm = await jetstreamManager(raw);
  const limit = (max_msgs: number) => jsm.streams.update(`test-${count}_EVENTS`, { max_msgs });
  await limit(4);
  const { stored, from, store } = createStore();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 3 }, store);
  await reading.processAll();
  expect(stored.numbers).toEqual([7, 8, 9, 10]);
  await limit(1);
  await reading.processAll();
  expect(await reading.lag()).toBe(0);
  await raw.close();
});

test('a stop waits for the running handler and takes no more messages', async () => {
  await publish(1, 10);
  const { stored, from, store } = createStore();
  let started = (): void => {};
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 2 }, async (batch) => {
    started();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await store(batch);
  });
  await hasStarted;
  await reading.stop();
  expect(stored.numbers).toEqual([1, 2]);
});

test('with a filter it reads only the messages of that subject, and counts only those as lag', async () => {
  const publishTo = (service: string, first: number, last: number) =>
    Promise.all(
      range(first, last).map((number) =>
        bus.publish(`evt.${service}.created`, { number }, { msgId: `${service}${number}` }),
      ),
    );
  await publishTo('flags', 1, 7);
  await publishTo('accounts', 101, 120);
  const { stored, from, store } = createStore();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const reading = bus.read({ stream: 'EVENTS', filter: 'evt.flags.created', from, maxBatch: 3 }, async (batch) => {
    if (stored.batches.length === 1) await released;
    await store(batch);
  });
  await pollUntil(async () => expect(await reading.lag()).toBe(4));
  await publishTo('flags', 8, 9);
  await publishTo('accounts', 121, 130);
  expect(await reading.lag()).toBe(6);
  release();
  await reading.processAll();
  expect([...stored.numbers].sort((a, b) => a - b)).toEqual(range(1, 9));
  expect(await reading.lag()).toBe(0);
  expect(await bus.lastSequence('EVENTS', 'evt.flags.created')).toBe(stored.lastSequence);
  expect(await bus.lastSequence('EVENTS', 'evt.signals.created')).toBe(0);
});

test('with a filter it continues after the position of its caller, and in a recreated stream', async () => {
  const read = (from: () => Promise<{ incarnation: string | null; lastSequence: number }>, store: never) =>
    bus.read({ stream: 'EVENTS', filter: 'evt.flags.feature-created', from, maxBatch: 2 }, store);
  await publish(1, 5);
  await bus.publish('evt.accounts.user-created', { number: 0 }, { msgId: 'another' });
  const { stored, from, store } = createStore();
  const first = read(from, store as never);
  await first.processAll();
  await first.stop();
  await publish(6, 7);
  const second = read(from, store as never);
  await second.processAll();
  expect(stored.numbers).toEqual(range(1, 7));
  const before = stored.incarnation;
  const raw = await dial(nats.url);
  await (await jetstreamManager(raw)).streams.delete(`test-${count}_EVENTS`);
  await raw.close();
  await pollUntil(async () => expect((await bus.streamInfo('EVENTS')).incarnation).not.toBe(before));
  await publish(8, 9);
  await second.processAll();
  expect(stored.numbers).toEqual(range(1, 9));
});
