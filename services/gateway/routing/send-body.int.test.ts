// Sends answers over real sockets to clients that do not read them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answersInFlight } from './bytes-in-flight.ts';
import { sendBody } from './send-body.ts';

/** Eleven exceed the bound. */
const body = Buffer.alloc(30_000_000, 'x');
let server: Server;
/** The paths of the requests, and of those whose answers were cut. */
const begun: (string | undefined)[] = [];
const cut: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    response.once('close', () => response.writableFinished || cut.push(request.url));
    sendBody(response, { audience: 'frontend', requestId: 'test' }, { status: 200, body });
    begun.push(request.url);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

test('beyond the bound of all answers that are not read, the oldest gives way', async () => {
  const { port } = server.address() as AddressInfo;
  const paths = Array.from({ length: 12 }, (_, n) => `/${n}`);
  const sockets = [];
  for (const path of paths) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\n\r\n`);
    await eventually(() => expect(begun).toContain(path));
    sockets.push(socket);
  }
  await eventually(() => expect(cut).toEqual(paths.slice(0, 2)));
  expect(answersInFlight.bytes).toBe(300_000_000);
  for (const socket of sockets) socket.destroy();
  await eventually(() => expect(answersInFlight.bytes).toBe(0));
});
