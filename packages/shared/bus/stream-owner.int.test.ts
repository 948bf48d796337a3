// Proves that of two systems with one prefix only one uses a NATS, and which process notices when. The e2e test of two
// installations shows that they end, and with which sentence.
import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { longTest, startTestNats, type TestNats } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConfigError } from '../config/index.ts';
import { request } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { OtherSystemError } from './stream-owner.ts';
import { contextWith, dial, keepingLogger } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

const ping = request({
  name: 'flags.test.ping',
  writes: false,
  summary: 'for this test',
  input: z.object({}),
  output: z.object({ pong: z.boolean() }),
  errors: [],
  permission: 'internal',
});

let nats: TestNats;
let open: Bus[];
const { log } = keepingLogger();

beforeEach(async () => {
  nats = await startTestNats();
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((bus) => bus.drain()));
  await nats.remove();
});

interface Replica {
  bus: Bus;
  refusals: ConfigError[];
}

/** A process of a system, by default of events. `id` may fail as a database that does not answer. */
async function join(systemId: string, { id = async () => systemId, writesId = true } = {}): Promise<Replica> {
  const refusals: ConfigError[] = [];
  const system = { id, writesId, onRefused: (error: ConfigError) => void refusals.push(error) };
  const bus = await connectBus({ url: nats.url, name: 'test', prefix: 'shared', log, system });
  open.push(bus);
  return { bus, refusals };
}

async function onServer<T>(run: (jsm: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>): Promise<T> {
  const raw = await dial(nats.url);
  return run(await jetstreamManager(raw)).finally(() => raw.close());
}
const description = () => onServer(async (jsm) => (await jsm.streams.info('shared_EVENTS')).config.description);
const config = { name: 'shared_EVENTS', subjects: ['shared.evt.>'], max_age: nanos(3_600_000) };

interface Contender {
  system: string;
  replica: Replica | undefined;
}

/** Ten processes of each of two systems start at once. */
async function race(): Promise<Contender[]> {
  const systems = [randomUUID(), randomUUID()];
  const starts = Array.from({ length: 20 }, (_, index) => systems[index % 2] as string);
  return Promise.all(
    starts.map(async (system) => {
      const replica = await join(system).catch((error: Error) => {
        expect(error).toBeInstanceOf(OtherSystemError);
        return undefined;
      });
      return { system, replica };
    }),
  );
}

/** The systems of the processes that may go on. */
const going = (contenders: readonly Contender[]) =>
  contenders.filter(({ replica }) => replica && replica.refusals.length === 0).map(({ system }) => system);

test('of two systems that start at once on an empty NATS, one starts with all its processes', async () => {
  const left = going(await race());
  expect(left).toHaveLength(10);
  expect(new Set(left).size).toBe(1);
  expect(await description()).toBe(`Yardarm system ${left[0]}`);
});

test('of two systems that write their id to the stream of an earlier version at once, only one remains', async () => {
  await onServer((jsm) => jsm.streams.add({ ...config, description: 'of the operator' }));
  const contenders = await race();
  // A process that found its id before the other system wrote ends at its next check.
  await pollUntil(async () => expect(new Set(going(contenders)).size).toBe(1));
  expect(await description()).toBe(`of the operator (Yardarm system ${going(contenders)[0]})`);
});

test('the refusal names the settings, and both ids', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await join(first);
  const refused = await join(second).catch((error: Error) => error.message);
  expect(refused).toMatch(
    /NATS_URL with YARDARM_PREFIX "shared".*set YARDARM_PREFIX .* or NATS_URL to another NATS\.$/,
  );
  for (const id of [first, second]) expect(refused).toContain(id);
});

test('a process of an earlier version updates the stream and keeps the id', async () => {
  const id = randomUUID();
  await onServer((jsm) => jsm.streams.add({ ...config, description: `Yardarm system ${id}` }));
  // Without an owner, `ensureStreams` does what an earlier version does.
  const earlier = await connectBus({ url: nats.url, name: 'events', prefix: 'shared', log });
  open.push(earlier);
  await earlier.ensureStreams(['EVENTS']);
  expect(await onServer(async (jsm) => (await jsm.streams.info('shared_EVENTS')).config)).toMatchObject({
    ...{ description: `Yardarm system ${id}`, max_age: nanos(7 * 24 * 3_600_000) },
  });
  await join(id);
});

test('a running process notices that another system has made the stream anew', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const { bus, refusals } = await join(first);
  await onServer(async (jsm) => {
    await jsm.streams.delete('shared_EVENTS');
    await jsm.streams.add({ ...config, description: `Yardarm system ${second}` });
  });
  await expect(bus.ensureStreams(['SIGNALS', 'EVENTS'])).rejects.toBeInstanceOf(OtherSystemError);
  await pollUntil(async () => expect(refusals[0]?.message).toContain(second));
});

longTest('without work on streams, the check notices it as well', async () => {
  const { refusals } = await join(randomUUID());
  await onServer((jsm) => jsm.streams.update('shared_EVENTS', { description: `Yardarm system ${randomUUID()}` }));
  await pollUntil(async () => expect(refusals[0]).toBeInstanceOf(OtherSystemError));
});

test('a stream that was made anew without an id is claimed again', async () => {
  const id = randomUUID();
  const { bus } = await join(id);
  await onServer(async (jsm) => {
    await jsm.streams.delete('shared_EVENTS');
    await jsm.streams.add(config);
  });
  await bus.ensureStreams(['EVENTS']);
  expect(await description()).toBe(`Yardarm system ${id}`);
});

test('the other services of a system wait for the id that events gives to the stream of an earlier version', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await onServer((jsm) => jsm.streams.add(config));
  const others = Promise.allSettled([first, second].map((system) => join(system, { writesId: false })));
  await join(first);
  expect((await others).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

longTest(
  'while events is of an earlier version the other services serve, and notice the id of another system',
  async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await onServer((jsm) => jsm.streams.add(config));
    const { bus, refusals } = await join(first, { writesId: false });
    await bus.ensureStreams(['EVENTS', 'SIGNALS']);
    expect(await description()).toBeUndefined();
    await join(second);
    await pollUntil(async () => expect(refusals[0]?.message).toContain(second));
  },
);

test('while JetStream is away a process serves, and it compares the ids when JetStream is back', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await join(first);
  await nats.kill();
  await nats.start({ jetstream: false });
  const { bus, refusals } = await join(second);
  bus.serve(ping, async () => ({ pong: true }));
  await bus.flush();
  expect(await bus.request(ping, {}, contextWith())).toEqual({ pong: true });
  await nats.kill();
  await nats.start();
  await pollUntil(async () => expect(refusals[0]?.message).toContain(first));
});

test('while its database does not answer, a process refuses requests and uses no stream', async () => {
  let answers = false;
  const id = randomUUID();
  const find = async () => {
    if (answers) return id;
    throw new AppError('unavailable', 'The database is away.');
  };
  const { bus } = await join(id, { id: find });
  bus.serve(ping, async () => ({ pong: true }));
  await bus.flush();
  const ask = () => bus.request(ping, {}, contextWith());
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
  for (const stream of ['EVENTS', 'SIGNALS'] as const) {
    await expect(bus.ensureStreams([stream])).rejects.toMatchObject({ code: 'unavailable' });
  }
  expect(await onServer(async (jsm) => (await jsm.getAccountInfo()).streams)).toBe(0);
  answers = true;
  await pollUntil(async () => expect(await ask()).toEqual({ pong: true }));
  expect(await description()).toBe(`Yardarm system ${id}`);
});
