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

beforeAll(async () => {
  server = createServer((_request, response) =>
    sendBody(response, { audience: 'frontend', requestId: 'test' }, { status: 200, body }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

test('beyond the bound of all answers that are not read, the oldest gives way', async () => {
  const { port } = server.address() as AddressInfo;
  const closed: number[] = [];
  const sockets = [];
  for (let n = 0; n < 12; n += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.once('close', () => closed.push(n));
    await once(socket, 'connect');
    const before = answersInFlight.bytes;
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
    await eventually(() => expect(answersInFlight.bytes !== before || n >= 10).toBe(true));
    sockets.push(socket);
  }
  await eventually(() => expect(answersInFlight.bytes).toBe(300_000_000));
  // A socket learns of its end when it reads.
  for (const socket of sockets) socket.resume();
  await eventually(() => expect(answersInFlight.bytes).toBe(0));
  for (const socket of sockets) socket.destroy();
  await eventually(() => expect(closed).toHaveLength(12));
  expect([...closed].slice(0, 2).sort((a, b) => a - b)).toEqual([0, 1]);
});
