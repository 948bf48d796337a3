// Bodies over a real socket: of undeclared length, compressed, cut off. The limit ends the reading, not the client.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createPublicApp, createPublicServer, serveApp } from '../listener/server.ts';
import { createAnswers } from './answering.ts';
import { bodiesInFlight } from './bytes-in-flight.ts';
import { chunkBytes } from './read-bytes.ts';
import { route, type TakeChunk } from './route.ts';

const limit = 100_000;
const largeLimit = 500_000;
const log = createLogger({ service: 'test', level: 'silent' });
let server: Server;
let port: number;
let read: Buffer[];
/** Answers the next body only when it resolves. */
let answered: Promise<void> | undefined;
/** Takes the next chunk of a body that is read in chunks. */
let take: TakeChunk;

beforeAll(async () => {
  const keep = route({
    ...{ method: 'post', path: '/bytes', operationId: 'bytes', summary: 'Bytes', tag: 'Test', audience: 'public' },
    ...{ body: z.unknown(), readsBytes: true, bodyLimitBytes: limit, answer: { status: 200 }, errors: [] },
    async handle({ bytes }) {
      read.push(bytes);
      await answered;
      return { status: 200, body: { length: bytes.length } };
    },
  });
  const takeAll = route({
    ...{ method: 'post', path: '/chunks', operationId: 'chunks', summary: 'Chunks', tag: 'Test', audience: 'public' },
    ...{ body: z.unknown(), readsChunks: true, bodyLimitBytes: largeLimit, answer: { status: 200 }, errors: [] },
    async handle({ readChunks }) {
      await readChunks((chunk) => take(chunk));
      return { status: 200, body: {} };
    },
  });
  const authenticate = async () => ({ actor: null, token: null, sender: null });
  server = createPublicServer();
  serveApp(
    server,
    createPublicApp([keep, takeAll], () => ({}), {
      answerOf: createAnswers({ authenticate, requestTimeoutMs: 2_000, log }),
      ...{ requestTimeoutMs: 2_000, log },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

beforeEach(() => {
  read = [];
  answered = undefined;
});

afterAll(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const head = 'POST /bytes HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Sends parts with a pause between them until an answer comes, without ending the body, and reads until the end. */
async function sendForever(headers: string, parts: () => Buffer): Promise<{ text: string; sent: number }> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`${head}${headers}\r\n`);
  let text = '';
  let sent = 0;
  const timer = setInterval(() => {
    const part = parts();
    sent += part.length;
    socket.write(part);
  }, 5);
  socket.on('data', (data) => {
    text += data;
    // A write to a connection that the server has closed ends it here with the rest of the answer unread.
    clearInterval(timer);
  });
  // `once` of node:events would reject at an error, which a write on its way to a closed connection causes.
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return { text, sent };
}

async function send(body: Buffer, headers: Record<string, string> = {}, path = '/bytes') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(body),
  });
  return { status: answer.status, closes: answer.headers.get('connection') === 'close', text: await answer.text() };
}

test('a body of undeclared length is refused at the first byte beyond the limit, and the connection closes', async () => {
  const part = chunk(Buffer.from('x'.repeat(limit / 10)));
  const { text } = await sendForever('transfer-encoding: chunked\r\n', () => part);
  expect(text).toMatch(/^HTTP\/1.1 413 /);
  expect(text).toMatch(/\r\nconnection: close\r\n/i);
  expect(text).toContain(`at most ${limit} bytes`);
});

test('a body of ever new chunks of a byte is refused, and the connection closes', async () => {
  const part = Buffer.concat(Array.from({ length: 200 }, () => chunk(Buffer.from('x'))));
  const { text, sent } = await sendForever('transfer-encoding: chunked\r\n', () => part);
  expect(text).toMatch(/^HTTP\/1.1 400 /);
  expect(text).toMatch(/\r\nconnection: close\r\n/i);
  expect(text).toContain('chunks of less than 64 bytes');
  expect(sent).toBeLessThan(limit);
});

test('a body of some small chunks, and of many of a hundred bytes, is read', async () => {
  const parts = ['x'.repeat(5_000), ...'y'.repeat(400), ...Array.from({ length: 600 }, () => 'z'.repeat(100)), 'end'];
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
  for (const part of parts) socket.write(chunk(Buffer.from(part)));
  socket.write('0\r\n\r\n');
  let text = '';
  for await (const part of socket) text += part;
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  expect(read.map(String)).toEqual([parts.join('')]);
});

test('a compressed body that is longer than the limit is refused, although nothing comes of it', async () => {
  const empty = gzipSync(Buffer.alloc(0));
  const part = chunk(Buffer.concat(Array.from({ length: 500 }, () => empty)));
  const { text } = await sendForever('transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n', () => part);
  expect(text).toMatch(/^HTTP\/1.1 413 /);
});

// The time that a request may take would close it after 30 s.
test('a connection closes after an answer that did not wait for a body of undeclared length', {
  timeout: 10_000,
}, async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  socket.on('data', (data) => {
    text += data;
    // Not before: a write to a closed connection ends it here with the answer unread.
    timer ??= setInterval(() => socket.write(chunk(Buffer.from('x'))), 5);
  });
  await once(socket, 'close');
  clearInterval(timer);
  expect(text).toMatch(/^HTTP\/1.1 200 /);
});

test('a body of undeclared length of exactly the limit is read', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
  for (let part = 0; part < 10; part += 1) socket.write(chunk(Buffer.from('x'.repeat(limit / 10))));
  socket.write('0\r\n\r\n');
  let text = '';
  for await (const part of socket) text += part;
  expect(text).toContain(`{"length":${limit}}`);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body in %s is read up to the limit after decompression', async (coding, compress) => {
  const headers = { 'content-encoding': coding };
  expect(await send(compress(Buffer.from('x'.repeat(limit))), headers)).toMatchObject({ status: 200 });
  expect(read[0]!.toString()).toBe('x'.repeat(limit));
  expect(await send(compress(Buffer.from('x'.repeat(limit + 1))), headers)).toMatchObject({ status: 413 });
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const)('a bomb in %s is refused without being unpacked', async (coding, compress) => {
  const bomb = compress(Buffer.alloc(50_000_000));
  const before = process.memoryUsage().rss;
  const { text } = await sendForever(`transfer-encoding: chunked\r\ncontent-encoding: ${coding}\r\n`, () =>
    chunk(bomb),
  );
  expect(text).toMatch(/^HTTP\/1.1 413 /);
  expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
});

test.each([
  ['gzip', Buffer.from('{"no":"gzip"}'), 400],
  ['gzip', gzipSync(Buffer.from('{}')).subarray(0, 12), 400],
  ['br', Buffer.from('{"no":"br"}'), 400],
  ['zstd', Buffer.from('{}'), 415],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.from('{}'))), 415],
])('a body that is not in %s, or in a coding that is not read, is refused', async (coding, body, status) => {
  expect(await send(body, { 'content-encoding': coding })).toMatchObject({ status });
  expect(read).toEqual([]);
});

test('half a body does nothing', async () => {
  for (const headers of ['content-length: 100\r\n', 'transfer-encoding: chunked\r\n']) {
    const socket = connect(port, '127.0.0.1');
    const [atServer] = await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
    socket.write(`${head}${headers}\r\n3\r\n{"a`);
    await eventually(() => expect((atServer[0] as { bytesRead: number }).bytesRead).toBeGreaterThan(head.length));
    socket.destroy();
  }
  expect(await send(Buffer.from('{}'))).toMatchObject({ status: 200 });
  expect(read.map(String)).toEqual(['{}']);
});

test('the next request on a connection is read after a body', async () => {
  const socket = connect(port, '127.0.0.1');
  const request = `${head}content-length: 2\r\n\r\n{}`;
  socket.write(request + request.replace('host: x', 'host: x\r\nconnection: close'));
  let text = '';
  for await (const part of socket) text += part;
  expect(text.match(/\{"length":2\}/g)).toHaveLength(2);
});

test('a complete body counts among those in memory until its answer is sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answered = promise;
  const sent = send(Buffer.alloc(limit, 'x'));
  await eventually(() => expect(read).toHaveLength(1));
  expect(bodiesInFlight.bytes).toBeGreaterThanOrEqual(limit + chunkBytes);
  resolve();
  expect(await sent).toMatchObject({ status: 200 });
  await eventually(() => expect(bodiesInFlight.bytes).toBe(0));
});

test('a compressed body whose client leaves before its turn is not handled, and counts no more', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answered = promise;
  const sent = send(gzipSync(Buffer.alloc(limit, 'x')), { 'content-encoding': 'gzip' });
  await eventually(() => expect(read).toHaveLength(1));
  const counted = bodiesInFlight.bytes;
  const leaving = connect(port, '127.0.0.1');
  const [atServer] = await once(server, 'connection');
  const body = gzipSync(randomBytes(limit / 2));
  leaving.write(
    Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`), body]),
  );
  await eventually(() => expect(bodiesInFlight.bytes).toBeGreaterThan(counted + limit / 2));
  leaving.destroy();
  await once(atServer, 'close');
  resolve();
  expect(await sent).toMatchObject({ status: 200 });
  await eventually(() => expect(bodiesInFlight.bytes).toBe(0));
  expect(read).toHaveLength(1);
});

test.each([
  ['as it is', (body: Buffer) => body, {}],
  ['in gzip', gzipSync, { 'content-encoding': 'gzip' }],
] as const)('a body %s is read no faster than its chunks are taken', async (_title, encode, headers) => {
  const body = Buffer.from(Array.from({ length: largeLimit / 10 }, (_, n) => `${n}`.padStart(10)).join(''));
  const taken: Buffer[] = [];
  const turns: (() => void)[] = [];
  take = (chunk) => {
    taken.push(chunk);
    return new Promise((resolve) => turns.push(resolve));
  };
  const sent = send(encode(body), headers, '/chunks');
  for (let [size, count] = [0, 0]; size < body.length; count += 1) {
    await eventually(() => expect(turns).toHaveLength(count + 1));
    size += taken[count]!.length;
    expect(bodiesInFlight.bytes).toBe(taken[count]!.length + chunkBytes);
    turns[count]!();
  }
  expect(await sent).toMatchObject({ status: 200 });
  expect(Buffer.concat(taken).equals(body)).toBe(true);
});

test('a body whose chunks are refused is read no further, and the connection closes', async () => {
  take = async () => {
    throw new AppError('validation', 'no');
  };
  expect(await send(Buffer.alloc(largeLimit), {}, '/chunks')).toMatchObject({ status: 400, closes: true });
  expect(bodiesInFlight.bytes).toBe(0);
});

test('a compressed body whose client leaves before all of it was taken ends, and leaves its turn to the next', async () => {
  const turns: (() => void)[] = [];
  take = () => new Promise((resolve) => turns.push(resolve));
  const leaving = connect(port, '127.0.0.1');
  const [atServer] = await once(server, 'connection');
  // All of it is read from the socket, and only a part of it is decompressed before the first chunk was taken.
  const body = gzipSync(randomBytes(140_000));
  const headers = `content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
  leaving.write(Buffer.concat([Buffer.from(head.replace('/bytes', '/chunks') + headers), body]));
  await eventually(() => expect(turns).toHaveLength(1));
  await eventually(() => expect(atServer.bytesRead).toBeGreaterThan(body.length));
  leaving.destroy();
  await once(atServer, 'close');
  turns[0]!();
  take = () => {};
  expect(await send(gzipSync('{}'), { 'content-encoding': 'gzip' }, '/chunks')).toMatchObject({ status: 200 });
  await eventually(() => expect(bodiesInFlight.bytes).toBe(0));
});
