// Proves: all parts of the bus survive a server that is killed and restarted, with or without its storage; meanwhile
// requests fail at once and do not run later. Does not prove how much a server loses without a flush (nothing, if only
// the process died).

import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { hint, request } from '../contracts/contract.ts';
import type { Bus } from './bus.ts';
import { contextWith, keepingLogger, openBuses, thrownBy } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
const { log, lines } = keepingLogger();
const buses = openBuses(log);

beforeEach(async () => {
  nats = await startTestNats();
});
afterEach(async () => {
  await buses.drain();
  await nats.remove();
  lines.length = 0;
});

const busWith = () => buses.connect({ url: nats.url, prefix: 'test' });

const echo = request({
  name: 'flags.number.echo',
  writes: false,
  summary: 'for this test',
  input: z.object({ number: z.number() }),
  output: z.object({ number: z.number() }),
  permission: 'internal',
});
const wake = hint({ name: 'flags.wake', summary: 'for this test', payload: z.object({ number: z.number() }) });

async function publish(bus: Bus, ...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    // Until it is acknowledged, as an outbox does.
    await pollUntil(
      async () => void (await bus.publish('evt.flags.number-drawn', { number }, { msgId: `m${number}` })),
    );
  }
}
const numberOf = (message: { payload: unknown }) => (message.payload as { number: number }).number;

test('requests fail at once without the server, succeed after its restart, and none runs later', async () => {
  const [server, client] = [await busWith(), await busWith()];
  const served: number[] = [];
  server.serve(echo, async ({ number }) => {
    served.push(number);
    return { number };
  });
  const received: number[] = [];
  server.onHint(wake, ({ number }) => received.push(number));
  await server.flush();
  expect(await client.request(echo, { number: 1 }, contextWith())).toEqual({ number: 1 });

  const changes: boolean[] = [];
  client.onStatus((connected) => changes.push(connected));
  await nats.kill();
  await pollUntil(async () => expect(client.state().connected).toBe(false));
  // Each has a deadline of ten seconds: if they waited, this test would time out.
  for (let number = 100; number < 150; number += 1) {
    expect(await thrownBy(() => client.request(echo, { number }, contextWith()))).toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
    });
    client.hint(wake, { number });
  }
  expect(await thrownBy(() => client.publish('evt.flags.x', {}, { msgId: 'x' }))).toMatchObject({
    code: 'unavailable',
  });

  await nats.start();
  await Promise.all([client.connected(), server.connected()]);
  await server.flush();
  expect(await client.request(echo, { number: 2 }, contextWith())).toEqual({ number: 2 });
  client.hint(wake, { number: 2 });
  await pollUntil(async () => expect(received).toEqual([2]));
  expect(served).toEqual([1, 2]);
  expect(changes).toEqual([false, true]);
});

test('a consumer and a reader continue at their positions after a restart of the server', async () => {
  const bus = await busWith();
  await bus.ensureStreams(['EVENTS']);
  const consumed: number[] = [];
  const read: number[] = [];
  let position = { incarnation: null as string | null, lastSequence: 0 };
  // A killed server loses its latest acknowledgements and redelivers those messages after the acknowledgement wait.
  const durable = { stream: 'EVENTS', durable: 'd', concurrency: 2, ackWaitMs: 1_000 } as const;
  const consumption = await bus.consume(durable, async (message) => {
    consumed.push(numberOf(message));
  });
  const reading = bus.read(
    { stream: 'EVENTS', maxBatch: 10, from: async () => position },
    async ({ incarnation, messages }) => {
      read.push(...messages.map(numberOf));
      position = { incarnation, lastSequence: messages.at(-1)?.sequence ?? 0 };
    },
  );
  await publish(bus, 1, 2, 3);
  await Promise.all([consumption.processAll(), reading.processAll()]);
  const { incarnation } = await bus.streamInfo('EVENTS');
  for (const number of [4, 5, 6]) {
    await nats.kill();
    await nats.start();
    await publish(bus, number);
  }
  await bus.connected();
  await Promise.all([consumption.processAll(), reading.processAll()]);
  expect((await bus.streamInfo('EVENTS')).incarnation).toBe(incarnation);
  expect([...new Set(consumed)].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(read).toEqual([1, 2, 3, 4, 5, 6]);
});

test('after a loss of its storage the stream is recreated, and all consumers read it from its beginning', async () => {
  const bus = await busWith();
  await bus.ensureStreams(['EVENTS']);
  const consumed: number[] = [];
  const batches: number[] = [];
  const read: number[] = [];
  let position = { incarnation: null as string | null, lastSequence: 0 };
  const consumption = await bus.consume(
    { stream: 'EVENTS', durable: 'd' },
    async (message) => void consumed.push(numberOf(message)),
  );
  const batched = await bus.consumeBatches({ stream: 'EVENTS', durable: 'b', maxBatch: 10 }, async (messages) => {
    batches.push(...messages.map(numberOf));
  });
  const reading = bus.read(
    { stream: 'EVENTS', maxBatch: 10, from: async () => position },
    async ({ incarnation, messages }) => {
      read.push(...messages.map(numberOf));
      position = { incarnation, lastSequence: messages.at(-1)?.sequence ?? 0 };
    },
  );
  await publish(bus, 1, 2);
  const all = () => Promise.all([consumption, batched, reading].map((each) => each.processAll()));
  await all();
  const reported: string[] = [];
  bus.onStreamRecreated('EVENTS', (incarnation) => reported.push(incarnation));

  await nats.kill();
  nats.wipe();
  await nats.start();
  await publish(bus, 1, 2, 3);
  await all();
  expect(consumed).toEqual([1, 2, 1, 2, 3]);
  expect(batches).toEqual([1, 2, 1, 2, 3]);
  expect(read).toEqual([1, 2, 1, 2, 3]);
  expect(reported).toEqual([position.incarnation]);
});

test('a bus waits for a missing server and warns in the log', async () => {
  await nats.kill();
  const connecting = buses.connect({ url: nats.url });
  await pollUntil(async () => expect(JSON.stringify(lines)).toContain('no connection to NATS yet'));
  await nats.start();
  const bus = await connecting;
  expect(bus.state()).toEqual({ connected: true, serverVersion: expect.stringMatching(/^2\./), problem: null });
});
