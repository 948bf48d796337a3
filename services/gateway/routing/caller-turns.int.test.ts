// Turns of callers over real sockets.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Actor, systemActor } from '@yardarm/shared/contracts';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createPublicApp, createPublicServer, serveApp } from '../listener/server.ts';
import { createAnswers } from './answering.ts';
import { route } from './route.ts';

const log = createLogger({ service: 'test', level: 'silent' });
let server: Server;
/** The handlers that run, by caller, and what ends each of them. */
const running: { caller: string; end: () => void }[] = [];

const actorNamed = (username: string): Actor => ({
  ...{ ...systemActor, kind: 'user', username },
  grants: [{ permissions: username === 'admin' ? ['ADMIN'] : [] }],
});

beforeAll(async () => {
  const hold = route({
    ...{ method: 'post', path: '/held', operationId: 'hold', summary: 'Hold', tag: 'Test', audience: 'admin' },
    ...{ body: z.looseObject({}), writes: true, answer: { status: 200 }, errors: [] },
    async handle({ header }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.push({ caller: header('x-caller')!, end: resolve });
      await promise;
      return { status: 200, body: {} };
    },
  });
  const holdLong = { ...hold, path: '/long', operationId: 'holdLong', body: undefined, isLong: true } as const;
  const holdSignal = { ...hold, path: '/signal', operationId: 'holdSignal', audience: 'signal' } as const;
  server = createPublicServer();
  const options = { requestTimeoutMs: 5_000, log };
  const answerOf = createAnswers({
    ...options,
    authenticate: ({ audience }, { header }) => {
      const name = header('x-caller')!;
      const sender = audience === 'signal' ? { endpointId: 1, tokenId: 7 } : null;
      return { actor: sender || name === 'nobody' ? null : actorNamed(name), token: null, sender };
    },
  });
  serveApp(
    server,
    createPublicApp([hold, holdLong, holdSignal], () => ({}), { ...options, answerOf, trustProxy: 1 }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface SendOptions {
  signal?: AbortSignal | null;
  isCompressed?: boolean;
  path?: string;
  /** As a proxy names it. */
  address?: string;
}

async function send(
  caller: string,
  bytes: number,
  { signal = null, isCompressed = false, path = '/held', address }: SendOptions = {},
): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const coding = isCompressed ? { 'content-encoding': 'gzip' } : {};
  const headers = {
    'content-type': 'application/json',
    'x-caller': caller,
    ...coding,
    ...(address && { 'x-forwarded-for': address }),
  };
  const text = JSON.stringify({ text: 'x'.repeat(bytes) });
  const body = isCompressed ? gzipSync(text) : text;
  return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body, signal })).status;
}

async function long(caller: string): Promise<number> {
  const { port } = server.address() as AddressInfo;
  return (await fetch(`http://127.0.0.1:${port}/long`, { method: 'POST', headers: { 'x-caller': caller } })).status;
}

const callers = () => running.map(({ caller }) => caller).sort();

test('a caller has one request with a large body at a time, and any number with small ones beside it', async () => {
  const sent = [send('ann', 20_000), send('ann', 20_000), send('bob', 20_000), send('ann', 100)];
  await eventually(() => expect(callers()).toEqual(['ann', 'ann', 'bob']));
  const others = [send('ann', 100), send('admin', 20_000), send('admin', 20_000)];
  await eventually(() => expect(callers()).toEqual(['admin', 'admin', 'ann', 'ann', 'ann', 'bob']));
  for (const { end } of running.splice(0)) end();
  await eventually(() => expect(callers()).toEqual(['ann']));
  for (const { end } of running.splice(0)) end();
  expect(await Promise.all([...sent, ...others])).toEqual([200, 200, 200, 200, 200, 200, 200]);
});

test('a caller has one request with a compressed body at a time, whatever its size', async () => {
  const compressed = { isCompressed: true };
  const sent = [send('ann', 100, compressed), send('ann', 20_000, compressed), send('bob', 100, compressed)];
  await eventually(() => expect(callers()).toEqual(['ann', 'bob']));
  await sleep(50);
  expect(callers()).toEqual(['ann', 'bob']);
  for (const { end } of running.splice(0)) end();
  await eventually(() => expect(callers()).toEqual(['ann']));
  for (const { end } of running.splice(0)) end();
  expect(await Promise.all(sent)).toEqual([200, 200, 200]);
});

test('a caller has one long request at a time, beside any number of others', async () => {
  const sent = [long('ann'), long('ann'), long('bob'), send('ann', 100)];
  await eventually(() => expect(callers()).toEqual(['ann', 'ann', 'bob']));
  for (const { end } of running.splice(0)) end();
  await eventually(() => expect(callers()).toEqual(['ann']));
  for (const { end } of running.splice(0)) end();
  expect(await Promise.all(sent)).toEqual([200, 200, 200, 200]);
});

test('a sender of signals does not wait for those without a token at its address', async () => {
  const sent = [
    send('nobody', 5_000),
    send('nobody', 5_000),
    send('sender', 5_000, { path: '/signal', isCompressed: true }),
  ];
  await eventually(() => expect(callers()).toEqual(['nobody', 'sender']));
  for (const { end } of running.splice(0)) end();
  await eventually(() => expect(callers()).toEqual(['nobody']));
  for (const { end } of running.splice(0)) end();
  expect(await Promise.all(sent)).toEqual([200, 200, 200]);
});

test('all addresses of an IPv6 network without a token have one large body at a time', async () => {
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:3::1'];
  const sent = addresses.map((address) => send('nobody', 20_000, { address }));
  await eventually(() => expect(callers()).toEqual(['nobody', 'nobody']));
  await sleep(50);
  expect(callers()).toEqual(['nobody', 'nobody']);
  for (const { end } of running.splice(0)) end();
  await eventually(() => expect(callers()).toEqual(['nobody']));
  for (const { end } of running.splice(0)) end();
  expect(await Promise.all(sent)).toEqual([200, 200, 200]);
});

test('a caller has ten requests at a time, and an administrator any number', async () => {
  const sent = [
    ...Array.from({ length: 12 }, () => send('ann', 100)),
    ...Array.from({ length: 12 }, () => send('admin', 100)),
  ];
  const begun = [...Array.from({ length: 12 }, () => 'admin'), ...Array.from({ length: 10 }, () => 'ann')];
  await eventually(() => expect(callers()).toEqual(begun));
  for (const { end } of running.splice(0)) end();
  await eventually(() => expect(callers()).toEqual(['ann', 'ann']));
  for (const { end } of running.splice(0)) end();
  expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
});

test('clients that leave while they wait or run take no turn from the next ones', async () => {
  for (const bytes of [100, 20_000]) {
    const leaving = new AbortController();
    const left = Array.from({ length: 25 }, () => send('ann', bytes, { signal: leaving.signal }));
    await eventually(() => expect(callers().length).toBeGreaterThan(0));
    await sleep(50);
    leaving.abort();
    await Promise.allSettled(left);
    const sent = Array.from({ length: 10 }, () => send('ann', 100));
    await eventually(() => {
      for (const { end } of running.splice(0)) end();
      expect(running).toHaveLength(0);
    });
    const ending = setInterval(() => {
      for (const { end } of running.splice(0)) end();
    }, 5);
    expect(new Set(await Promise.all([...sent, send('ann', 20_000)]))).toEqual(new Set([200]));
    clearInterval(ending);
  }
});
