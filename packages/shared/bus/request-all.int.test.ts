// Proves: every replica answers a request of each replica, and what one of them does not answer leaves the others.
import { startNatsWithUsers, startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { request } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { Bus } from './bus.ts';
import { contextWith, keepingLogger, openBuses, thrownBy } from './testing/bus-rig.ts';

let nats: TestNats;
const { log, lines } = keepingLogger();
const buses = openBuses(log);

beforeAll(async () => {
  nats = await startTestNats();
});
afterEach(async () => {
  await buses.drain();
  lines.length = 0;
});
afterAll(() => nats.remove());

const askReplica = request({
  name: 'flags.replica.get',
  writes: false,
  summary: 'for this test',
  input: z.object({}),
  output: z.object({ replica: z.number() }),
  permission: 'ADMIN',
  ofEachReplica: true,
});

const connected = (url = nats.url) => buses.connect({ url });

async function startReplica(answer: () => Promise<{ replica: number }>): Promise<void> {
  const bus = await connected();
  bus.serve(askReplica, answer);
  await bus.flush();
}

/** Half a second is enough for replicas on this machine. */
const soon = () => contextWith({ deadline: Date.now() + 500 });

const askAll = async (asking: Bus) =>
  (await asking.requestAll(askReplica, {}, soon())).map(({ replica }) => replica).sort();

test('each of three replicas answers', async () => {
  for (const replica of [1, 2, 3]) await startReplica(async () => ({ replica }));
  expect(await askAll(await connected())).toEqual([1, 2, 3]);
});

test('without a replica the answer is an empty list, before the deadline', async () => {
  const asking = await connected();
  expect(await asking.requestAll(askReplica, {}, contextWith({ deadline: Date.now() + 60_000 }))).toEqual([]);
});

test('a replica that refuses is left out and logged', async () => {
  await startReplica(async () => ({ replica: 1 }));
  await startReplica(async () => {
    throw new AppError('unavailable', 'The database is away.');
  });
  expect(await askAll(await connected())).toEqual([1]);
  expect(lines.map(({ msg }) => msg)).toContain('a replica did not answer a request');
});

test('a replica that is too late is left out', async () => {
  const { promise, resolve } = Promise.withResolvers<{ replica: number }>();
  await startReplica(async () => ({ replica: 1 }));
  await startReplica(() => promise);
  expect(await askAll(await connected())).toEqual([1]);
  resolve({ replica: 2 });
});

test('a user of NATS without the permission gets an error, not an empty list', async () => {
  const guarded = await startNatsWithUsers('');
  try {
    const asking = await connected(guarded.serviceUrls.flags);
    expect(await thrownBy(() => asking.requestAll(askReplica, {}, soon()))).toMatchObject({
      code: 'internal',
      message: 'The user of NATS_URL may not send flags.replica.get.',
    });
  } finally {
    await buses.drain();
    await guarded.stop();
  }
});
