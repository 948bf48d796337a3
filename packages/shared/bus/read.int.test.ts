// Proves: a reader gets every message of a stream in its order from the position that its caller keeps, over failures of the handler and of its
// consumer, and begins anew when the stream is another. Not: a killed server (restart.int.test.ts).
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { keepingLogger, startTestNats, type TestNats } from './testing/test-nats.ts';
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

/** What a caller keeps in its database: the position moves together with what it has taken. */
function keeper() {
  const kept = { incarnation: null as string | null, afterSequence: 0, taken: [] as number[], batches: [] as number[] };
  const from = async () => ({ incarnation: kept.incarnation, afterSequence: kept.afterSequence });
  const take = async ({
    incarnation,
    messages,
  }: {
    incarnation: string;
    messages: { sequence: number; payload: unknown }[];
  }) => {
    kept.batches.push(messages.length);
    for (const { payload, sequence } of messages) {
      kept.taken.push((payload as { number: number }).number);
      kept.afterSequence = sequence;
    }
    kept.incarnation = incarnation;
  };
  return { kept, from, take };
}

async function publish(first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1) {
    await bus.publish('evt.flags.feature-created', { number }, { msgId: `m${number}` });
  }
}
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('reads all in order, in batches of what is there, and what comes later', async () => {
  await publish(1, 25);
  const { kept, from, take } = keeper();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, take);
  await reading.processAll();
  expect(kept.taken).toEqual(range(1, 25));
  expect(kept.batches).toEqual([10, 10, 5]);
  await publish(26, 27);
  await reading.processAll();
  expect(kept.taken).toEqual(range(1, 27));
  expect(await reading.lag()).toBe(0);
});

test('what comes within the pace shares a batch, and a full batch waits for nothing', async () => {
  const { kept, from, take } = keeper();
  // Longer than all of this takes, but for the one pause that it makes.
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10, pace: { perEventMs: 1_000, maxMs: 1_500 } }, take);
  await publish(1, 1);
  await reading.processAll();
  await publish(2, 3);
  await publish(4, 5);
  await reading.processAll();
  expect(kept.batches).toEqual([1, 4]);
  await reading.stop();
  await publish(6, 35);
  const other = bus.read({ stream: 'EVENTS', from, maxBatch: 10, pace: { perEventMs: 600_000, maxMs: 600_000 } }, take);
  await other.processAll();
  expect(kept.batches).toEqual([1, 4, 10, 10, 10]);
  await other.stop();
});

test('goes on behind the position of its caller', async () => {
  await publish(1, 10);
  const { kept, from, take } = keeper();
  const first = bus.read({ stream: 'EVENTS', from, maxBatch: 4 }, take);
  await first.processAll();
  await first.stop();
  await publish(11, 15);
  kept.afterSequence = 7;
  const second = bus.read({ stream: 'EVENTS', from, maxBatch: 100 }, take);
  await second.processAll();
  expect(kept.taken).toEqual([...range(1, 10), ...range(8, 15)]);
});

test('a position in another incarnation is none', async () => {
  await publish(1, 3);
  const { kept, from, take } = keeper();
  kept.incarnation = '2020-01-01T00:00:00Z';
  kept.afterSequence = 1_000;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, take);
  await reading.processAll();
  expect(kept.taken).toEqual([1, 2, 3]);
});

test('a position behind the end of the stream is read from the beginning, with an error in the log', async () => {
  await publish(1, 3);
  const { kept, from, take } = keeper();
  kept.incarnation = (await bus.streamInfo('EVENTS')).incarnation;
  kept.afterSequence = 1_000;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, take);
  await reading.processAll();
  expect(kept.taken).toEqual([1, 2, 3]);
  expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ afterSequence: 1_000, lastSequence: 3 }]);
});

test('a batch whose handler throws is read again, and nothing behind it before it', async () => {
  await publish(1, 20);
  const { kept, from, take } = keeper();
  let failures = 0;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 5 }, async (batch) => {
    if (batch.messages[0]?.sequence === 6 && failures < 3) {
      failures += 1;
      throw new Error('deadlock detected');
    }
    await take(batch);
  });
  await reading.processAll();
  expect(failures).toBe(3);
  expect(kept.taken).toEqual(range(1, 20));
  expect(lines.filter(({ level }) => level === 50)).toHaveLength(3);
});

test('a position that cannot be had is asked for again', async () => {
  await publish(1, 3);
  const { kept, from, take } = keeper();
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
    take,
  );
  await reading.processAll();
  expect(kept.taken).toEqual([1, 2, 3]);
});

test('only one batch is out at a time', async () => {
  await publish(1, 20);
  const { kept, from, take } = keeper();
  let atWork = 0;
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 3 }, async (batch) => {
    atWork += 1;
    expect(atWork).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await take(batch);
    atWork -= 1;
  });
  await reading.processAll();
  expect(kept.taken).toEqual(range(1, 20));
});

test('order holds while its consumer is deleted under it again and again', async () => {
  const { kept, from, take } = keeper();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 7 }, take);
  const raw = await connect({ servers: nats.url });
  const jsm = await jetstreamManager(raw);
  const stream = `test-${count}_EVENTS`;
  for (let round = 0; round < 5; round += 1) {
    await publish(round * 20 + 1, round * 20 + 20);
    for await (const { name } of jsm.consumers.list(stream)) await jsm.consumers.delete(stream, name);
  }
  await reading.processAll();
  expect(kept.taken).toEqual(range(1, 100));
  await raw.close();
});

test('a stream that is deleted and made anew is read from its beginning', async () => {
  await publish(1, 10);
  const { kept, from, take } = keeper();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 4 }, take);
  await reading.processAll();
  const before = kept.incarnation;
  const raw = await connect({ servers: nats.url });
  await (await jetstreamManager(raw)).streams.delete(`test-${count}_EVENTS`);
  await raw.close();
  // The reader makes the stream it needs; what was published is published again, as an outbox does.
  await pollUntil(async () => expect((await bus.streamInfo('EVENTS')).incarnation).not.toBe(before));
  await publish(1, 12);
  await reading.processAll();
  expect(kept.taken).toEqual([...range(1, 10), ...range(1, 12)]);
  expect(kept.incarnation).not.toBe(before);
});

test('messages that the limits have removed are not waited for', async () => {
  await publish(1, 10);
  const raw = await connect({ servers: nats.url });
  const jsm = await jetstreamManager(raw);
  await jsm.streams.purge(`test-${count}_EVENTS`, { seq: 6 });
  await jsm.streams.deleteMessage(`test-${count}_EVENTS`, 8);
  const { kept, from, take } = keeper();
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 3 }, take);
  await reading.processAll();
  expect(kept.taken).toEqual([6, 7, 9, 10]);
  await jsm.streams.purge(`test-${count}_EVENTS`);
  await reading.processAll();
  expect(await reading.lag()).toBe(0);
  await raw.close();
});

test('stopping waits for the handler at work and takes no more', async () => {
  await publish(1, 10);
  const { kept, from, take } = keeper();
  let started = (): void => {};
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 2 }, async (batch) => {
    started();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await take(batch);
  });
  await hasStarted;
  await reading.stop();
  expect(kept.taken).toEqual([1, 2]);
});
