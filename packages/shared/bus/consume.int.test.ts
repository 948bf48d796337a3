// Proves: every message is handled at least once and then acknowledged; a failed message is redelivered; a dead letter
// does not block others; replicas share one durable; the messages of a stopping process go to another at once. Does not
// prove an order of messages.

import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../errors/index.ts';
import { metrics, scrape } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { dial, keepingLogger } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
let bus: Bus;
let count = 0;
const open: Bus[] = [];
const { log, lines } = keepingLogger();

beforeAll(async () => {
  nats = await startTestNats();
});
beforeEach(async () => {
  count += 1;
  bus = await replica();
  await bus.ensureStreams(['EVENTS']);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.drain()));
  lines.length = 0;
});
afterAll(() => nats.remove());

async function replica(): Promise<Bus> {
  const created = await connectBus({ url: nats.url, name: 'test', prefix: `test-${count}`, log });
  open.push(created);
  return created;
}

async function publish(...numbers: number[]): Promise<void> {
  await Promise.all(
    numbers.map((number) => bus.publish('evt.flags.feature-created', { number }, { msgId: `m${number}` })),
  );
}

const numberOf = (message: { payload: unknown }) => (message.payload as { number: number }).number;
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

test('a message arrives with all published fields, once per message id', async () => {
  const published = {
    msgId: 'ид-1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    headers: { 'X-Note': 'größe' },
  };
  expect(await bus.publish('evt.flags.feature-created', { name: 'dark.mode' }, published)).toEqual({
    sequence: 1,
    duplicate: false,
  });
  expect(await bus.publish('evt.flags.feature-created', { name: 'dark.mode' }, published)).toEqual({
    sequence: 1,
    duplicate: true,
  });
  const seen: unknown[] = [];
  const consumption = await bus.consume({ stream: 'EVENTS', durable: 'd' }, async (message) => void seen.push(message));
  await consumption.processAll();
  expect(seen).toEqual([
    {
      subject: 'evt.flags.feature-created',
      sequence: 1,
      payload: { name: 'dark.mode' },
      msgId: 'ид-1',
      headers: expect.objectContaining({ 'X-Note': 'größe' }),
      traceparent: published.traceparent,
      deliveryCount: 1,
      publishedAt: expect.any(Date),
    },
  ]);
});

test('a message whose handler throws is redelivered with a higher delivery count', async () => {
  await publish(1, 2);
  const seen: [number, number][] = [];
  const consumption = await bus.consume({ stream: 'EVENTS', durable: 'd' }, async (message) => {
    seen.push([numberOf(message), message.deliveryCount]);
    if (numberOf(message) === 1 && message.deliveryCount < 3) throw new Error('deadlock detected');
  });
  await consumption.processAll();
  expect(seen).toEqual([
    [1, 1],
    [2, 1],
    [1, 2],
    [1, 3],
  ]);
  expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ deliveryCount: 1 }, { deliveryCount: 2 }]);
});

test('a dead letter is logged with its reason and counted, and the other messages are handled', async () => {
  await publish(1, 2, 3);
  const handled: number[] = [];
  const consumption = await bus.consume({ stream: 'EVENTS', durable: `d${count}` }, async (message) => {
    if (numberOf(message) === 1) throw new AppError('validation', 'The type is not known.');
    if (numberOf(message) === 2) z.object({ number: z.string() }).parse(message.payload);
    handled.push(numberOf(message));
  });
  await consumption.processAll();
  expect(handled).toEqual([3]);
  expect(lines.filter(({ level }) => level === 50)).toMatchObject([
    { msgId: 'm1', err: { message: 'The type is not known.' } },
    { msgId: 'm2', err: { message: expect.stringContaining('expected string') } },
  ]);
  const counted = await metrics.getSingleMetric('yardarm_bus_dead_letters_total')?.get();
  expect(counted?.values).toContainEqual({ labels: { stream: 'EVENTS', durable: `d${count}` }, value: 2 });
});

test('one bad message does not affect the others of its batch', async () => {
  await publish(1, 2, 3, 4, 5);
  const handled: number[] = [];
  const consumption = await bus.consumeBatches({ stream: 'EVENTS', durable: 'd', maxBatch: 10 }, async (messages) => {
    if (messages.some((message) => numberOf(message) === 3)) throw new AppError('bad-data', 'Three is no number.');
    handled.push(...messages.map(numberOf));
  });
  await consumption.processAll();
  expect(handled.sort()).toEqual([1, 2, 4, 5]);
});

test('a batch holds the messages that have arrived, up to its size', async () => {
  await publish(...upTo(25));
  const sizes: number[] = [];
  const handled: number[] = [];
  const consumption = await bus.consumeBatches({ stream: 'EVENTS', durable: 'd', maxBatch: 10 }, async (messages) => {
    sizes.push(messages.length);
    handled.push(...messages.map(numberOf));
  });
  await consumption.processAll();
  expect(sizes).toEqual([10, 10, 5]);
  await publish(26);
  await consumption.processAll();
  expect(sizes).toEqual([10, 10, 5, 1]);
  expect(handled.sort((a, b) => a - b)).toEqual(upTo(26));
});

test('replicas share a durable, each with its own concurrency', async () => {
  await publish(...upTo(40));
  const handled: [number[], number[]] = [[], []];
  const allBusy = Promise.withResolvers<void>();
  let atOnce = 0;
  let maxAtOnce = 0;
  const consumptions = await Promise.all(
    handled.map(async (mine) =>
      (await replica()).consume({ stream: 'EVENTS', durable: 'd', concurrency: 3 }, async (message) => {
        atOnce += 1;
        maxAtOnce = Math.max(maxAtOnce, atOnce);
        if (atOnce === 6) allBusy.resolve();
        // The first handlers wait until both replicas have their full concurrency.
        await allBusy.promise;
        atOnce -= 1;
        mine.push(numberOf(message));
      }),
    ),
  );
  await Promise.all(consumptions.map((consumption) => consumption.processAll()));
  expect(handled.flat().sort((a, b) => a - b)).toEqual(upTo(40));
  for (const mine of handled) expect(mine.length).toBeGreaterThanOrEqual(3);
  expect(maxAtOnce).toBe(6);
});

test('a filter leaves out other subjects, two durables each get all messages, and a durable keeps its position', async () => {
  await bus.publish('evt.flags.feature-created', { number: 1 }, { msgId: 'a' });
  await bus.publish('evt.accounts.user-created', { number: 2 }, { msgId: 'b' });
  const seen: Record<string, number[]> = { flags: [], all: [], again: [] };
  const consume = (name: string, durable: string, filter?: string) =>
    bus.consume(
      { stream: 'EVENTS', durable, ...(filter ? { filter } : {}) },
      async (message) => void seen[name]?.push(numberOf(message)),
    );
  const flags = await consume('flags', 'd1', 'evt.flags.*');
  const all = await consume('all', 'd2');
  await Promise.all([flags.processAll(), all.processAll()]);
  await all.stop();
  await bus.publish('evt.flags.feature-created', { number: 3 }, { msgId: 'c' });
  const again = await consume('again', 'd2');
  await Promise.all([flags.processAll(), again.processAll()]);
  expect(seen).toEqual({ flags: [1, 3], all: [1, 2], again: [3] });
  expect(await again.lag()).toBe(0);
});

test('a scrape has the messages that wait for a durable, also those in hand, until it stops', async () => {
  const gauge = `yardarm_bus_consumer_lag_messages{stream="EVENTS",durable="lag${count}"}`;
  const sample = async () => (await scrape()).split('\n').find((line) => line.startsWith(gauge));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const consumption = await bus.consume({ stream: 'EVENTS', durable: `lag${count}` }, () => released);
  expect(await sample()).toBe(`${gauge} 0`);
  await publish(1, 2, 3);
  await expect.poll(sample).toBe(`${gauge} 3`);
  release();
  await consumption.processAll();
  expect(await sample()).toBe(`${gauge} 0`);
  await consumption.stop();
  expect(await sample()).toBeUndefined();
});

test('a durable keeps its position when its configuration changes', async () => {
  await publish(1, 2);
  const first = await bus.consume({ stream: 'EVENTS', durable: 'd' }, async () => {});
  await first.processAll();
  await first.stop();
  await publish(3);
  const seen: number[] = [];
  const changed = { stream: 'EVENTS', durable: 'd', ackWaitMs: 5_000, maxAckPending: 50 } as const;
  const second = await bus.consume(changed, async (message) => void seen.push(numberOf(message)));
  await second.processAll();
  expect(seen).toEqual([3]);
});

test('a message is not redelivered while its handler runs longer than the acknowledgement wait', async () => {
  await publish(1);
  const seen: number[] = [];
  // It is extended after half of it. A process on a busy machine may be late by the other half.
  const slow = { stream: 'EVENTS', durable: 'd', ackWaitMs: 1_000, concurrency: 2 } as const;
  const consumption = await bus.consume(slow, async (message) => {
    seen.push(message.deliveryCount);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
  });
  await consumption.processAll();
  expect(seen).toEqual([1]);
});

test('a stop waits for the running handler, and another replica gets the rest at once', async () => {
  await publish(...upTo(10));
  const handled: number[] = [];
  let started = (): void => {};
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const stopping = await bus.consumeBatches({ stream: 'EVENTS', durable: 'd', maxBatch: 3 }, async (messages) => {
    started();
    await new Promise((resolve) => setTimeout(resolve, 100));
    handled.push(...messages.map(numberOf));
  });
  await hasStarted;
  await stopping.stop();
  expect(handled).toHaveLength(3);
  const other = await (await replica()).consume(
    { stream: 'EVENTS', durable: 'd' },
    async (message) => void handled.push(numberOf(message)),
  );
  // The acknowledgement wait is 30 s, longer than this waits.
  await other.processAll();
  expect(handled.sort((a, b) => a - b)).toEqual(upTo(10));
});

test('a message that is not JSON arrives as its text', async () => {
  const raw = await dial(nats.url);
  await raw.request(`test-${count}.evt.flags.feature-created`, '{"half":');
  await raw.close();
  const seen: unknown[] = [];
  const consumption = await bus.consume(
    { stream: 'EVENTS', durable: 'd' },
    async ({ payload }) => void seen.push(payload),
  );
  await consumption.processAll();
  expect(seen).toEqual(['{"half":']);
});

test('a missing stream and a message that is too large are different errors', async () => {
  await expect(bus.publish('signal.7', {}, { msgId: 'x' })).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 1,
  });
  const large = { text: 'x'.repeat(2_000_000) };
  await expect(bus.publish('evt.flags.feature-created', large, { msgId: 'x' })).rejects.toMatchObject({
    code: 'content-too-large',
  });
  await expect(bus.streamInfo('SIGNALS')).rejects.toMatchObject({ code: 'unavailable' });
});

test('without JetStream the bus warns, publishing fails and a consumer waits', async () => {
  const bare = await startTestNats({ jetstream: false });
  const without = await connectBus({ url: bare.url, name: 'test', prefix: '', log });
  expect(JSON.stringify(lines)).toContain('JetStream is not enabled');
  await expect(without.ensureStreams(['EVENTS'])).rejects.toMatchObject({ code: 'unavailable' });
  await expect(without.publish('evt.flags.feature-created', {}, { msgId: 'x' })).rejects.toMatchObject({
    code: 'unavailable',
  });
  const consumption = await without.consume({ stream: 'EVENTS', durable: 'd' }, async () => {});
  await pollUntil(async () => expect(JSON.stringify(lines)).toContain('cannot reach the stream'));
  await consumption.stop();
  await without.drain();
  await bare.remove();
});
