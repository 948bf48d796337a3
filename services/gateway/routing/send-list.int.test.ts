// Lists over real sockets and a real bus: complete or broken off, and never further than their reader.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@yardarm/shared/bus';
import { request } from '@yardarm/shared/contracts';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import express from 'express';
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { sendList } from './send-list.ts';

const servers: Server[] = [];

/** The errors that sendList() threw. */
let problems: unknown[] = [];

beforeEach(() => {
  problems = [];
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** Serves a list; breaks an answer off, or answers with 418, as the gateway does for an error. */
async function serve(pieces: () => AsyncIterable<Uint8Array>, writeTimeoutMs = 60_000) {
  const app = express();
  const reply = { status: 200, headers: { 'x-list': 'yes' } };
  app.get('/', (_request, response) => {
    sendList(response, reply, { head: '{"list":[', pieces: pieces(), tail: ']}' }, writeTimeoutMs).catch((error) => {
      problems.push(error);
      if (response.headersSent) response.destroy();
      else response.status(418).end();
    });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/` };
}

async function* bytesOf(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    yield Buffer.from(text);
    await setImmediate();
  }
}

const piece = Buffer.from(JSON.stringify('x'.repeat(64_000)));

const readNothing = (port: number) => {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return socket;
};

test.each([
  ['no piece', [], '{"list":[]}'],
  ['an empty piece', [''], '{"list":[]}'],
  ['one piece', ['1,"ü"'], '{"list":[1,"ü"]}'],
])('a list of %s has its length', async (_title, pieces, body) => {
  const { url } = await serve(() => bytesOf(pieces));
  const response = await fetch(url);
  expect(await response.text()).toBe(body);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...{ 'content-type': 'application/json; charset=utf-8', 'x-list': 'yes' },
    'content-length': String(Buffer.byteLength(body)),
  });
});

test('a list of many pieces arrives complete and in order, as one JSON document', async () => {
  const items = Array.from({ length: 100 }, (_, n) => ({ n, filling: 'ü'.repeat(10_000) }));
  const { url } = await serve(() => bytesOf(['', ...items.map((item) => JSON.stringify(item)), '']));
  const response = await fetch(url);
  expect(response.headers.get('x-list')).toBe('yes');
  expect(await response.text()).toBe(JSON.stringify({ list: items }));
});

test.each([0, 1])('an error after piece %i is an ordinary answer', async (count) => {
  const { url } = await serve(async function* () {
    yield* bytesOf(['1', '2'].slice(0, count));
    throw new Error('refused');
  });
  expect((await fetch(url)).status).toBe(418);
  expect(problems).toMatchObject([{ message: 'refused' }]);
});

test('an error after the second piece breaks the answer off', async () => {
  const { url } = await serve(async function* () {
    yield* bytesOf(['1', '2']);
    throw new Error('the disk is full');
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(problems).toMatchObject([{ message: 'the disk is full' }]);
});

test('a client that reads nothing costs a few pieces, and the list ends when it leaves', async () => {
  let made = 0;
  let hasEnded = false;
  const { port } = await serve(async function* () {
    try {
      for (; made < 5_000; made += 1) yield piece;
    } finally {
      hasEnded = true;
    }
  });
  const socket = readNothing(port);
  let before = -1;
  await eventually(async () => {
    const isStalled = made > 0 && made === before;
    before = made;
    expect(isStalled).toBe(true);
  });
  // The whole list is 320 MB; the sockets buffer some megabytes of it.
  expect(made).toBeLessThan(1_000);
  socket.destroy();
  await eventually(() => expect(hasEnded).toBe(true));
  expect(problems).toEqual([]);
});

test('a client that reads nothing for too long is disconnected', async () => {
  let hasEnded = false;
  let hasReachedEnd = false;
  const { port } = await serve(async function* () {
    try {
      // 320 MB: much more than sockets buffer.
      for (let made = 0; made < 5_000; made += 1) yield piece;
      hasReachedEnd = true;
    } finally {
      hasEnded = true;
    }
  }, 50);
  readNothing(port);
  await eventually(() => expect(hasEnded).toBe(true));
  expect(hasReachedEnd).toBe(false);
  expect(problems).toEqual([]);
});

const anchors = request({
  name: 'flags.anchor.list',
  writes: false,
  summary: 'for this test',
  input: z.object({}),
  output: z.object({ anchors: z.array(z.string()) }),
  permission: 'public',
});

/** Serves `anchors`: a gigabyte, more than is read until the process is killed. */
const program = `
  const [{ connectBus, encodeItems }, { request }, { z }] =
    await Promise.all(process.argv.slice(1, 4).map((module) => import(module)));
  const quiet = { warn() {}, info() {}, error() {}, debug() {}, child: () => quiet };
  const bus = await connectBus({ url: process.argv[4], name: 'flags', prefix: process.argv[5], log: quiet });
  const output = z.object({ anchors: z.array(z.string()) });
  const contract = request({
    name: 'flags.anchor.list', writes: false, summary: '', input: z.object({}), output, permission: 'public',
  });
  bus.serve(contract, async function* () {
    for (let n = 0; n < 100_000; n += 1) yield* encodeItems(contract, ['x'.repeat(10_000)]);
  });
  await bus.flush();
  process.stdout.write('up');
`;

test('a service that dies in the middle of a list breaks the answer off', async () => {
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const modules = ['@yardarm/shared/bus', '@yardarm/shared/contracts', 'zod'].map((name) => import.meta.resolve(name));
  const args = ['--input-type=module', '-e', program, ...modules, inject('natsUrl'), prefix];
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const service = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void service.kill('SIGKILL'));
  await once(service.stdout, 'data');
  const log = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectBus({ url: inject('natsUrl'), prefix, log, name: 'gateway' });
  onTestFinished(() => bus.drain());
  const { url } = await serve(() => {
    const context = { requestId: 'test', actor: null, deadline: Date.now() + 1_000, traceparent: null };
    return bus.requestItems(anchors, {}, context);
  });
  const response = await fetch(url);
  const reader = response.body!.getReader();
  const readToEnd = async () => {
    while (!(await reader.read()).done);
  };
  // The list outlives the deadline of its first piece.
  const until = Date.now() + 1_500;
  while (Date.now() < until) await reader.read();
  service.kill('SIGKILL');
  await expect(readToEnd()).rejects.toThrow();
  expect(problems).toMatchObject([{ code: 'timeout' }]);
});
