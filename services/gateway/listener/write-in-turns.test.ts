import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeInTurns } from './write-in-turns.ts';

/** More than a kernel accepts for a client that reads nothing. */
const body = randomBytes(64 * 1024 * 1024);
const pieceBytes = 65_536;

let server: Server;
let responses: ServerResponse[];

beforeEach(async () => {
  responses = [];
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    responses.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a request, and waits until the server has its response. The client reads the answer when a test does. */
async function ask(): Promise<{ answer: Promise<IncomingMessage>; response: ServerResponse }> {
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, 'request');
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
  });
  // Some tests end without reading it.
  answer.catch(() => undefined);
  await arrived;
  return { answer, response: responses.at(-1)! };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const written = () => responses.reduce((sum, { socket }) => sum + (socket?.bytesWritten ?? 0), 0);

test('each turn of the event loop writes one piece of one answer, and the next turn one of the next answer', async () => {
  const both = [await ask(), await ask()];
  for (const { response } of both) writeInTurns(response, body);
  const grown: number[] = [];
  let before = written();
  for (let n = 0; n < 6; n += 1) {
    await turn();
    grown.push(written() - before);
    before = written();
  }
  // The head of an answer is written with its first piece.
  for (const bytes of grown.slice(2)) expect(bytes).toBe(pieceBytes);
  expect(new Set(both.map(({ response }) => response.socket!.bytesWritten)).size).toBe(1);
});

test('every reader gets the whole body, also beside one that reads nothing and one that has gone', async () => {
  const silent = await ask();
  const gone = await ask();
  const readers = [await ask(), await ask()];
  for (const { response } of [silent, gone, ...readers]) writeInTurns(response, body);
  (await gone.answer).destroy();
  const read = await Promise.all(readers.map(async ({ answer }) => buffer(await answer)));
  for (const bytes of read) expect(bytes.equals(body)).toBe(true);
  expect(silent.response.writableFinished).toBe(false);
  expect((await buffer(await silent.answer)).equals(body)).toBe(true);
});
