// Sends answers over real sockets to clients that do not read them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
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
    const audience = request.url?.startsWith('/frontend') ? 'frontend' : 'client';
    const sent = request.url?.startsWith('/shared') ? body : Buffer.from(body);
    sendBody(response, { audience, requestId: 'test' }, { status: 200, body: sent });
    begun.push(request.url);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Sends requests whose answers it does not read, one after another. The result ends them. */
async function request(paths: readonly string[]): Promise<() => Promise<void>> {
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  for (const path of paths) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\n\r\n`);
    await eventually(() => expect(begun).toContain(path));
    sockets.push(socket);
  }
  return async () => {
    for (const socket of sockets) socket.destroy();
    await eventually(() => expect(answersInFlight.bytes).toBe(0));
  };
}

const paths = (kind: string) => Array.from({ length: 12 }, (_, n) => `/${kind}/${n}`);

test.each(['frontend', 'filtered'])(
  'beyond the bound of all answers that are not read, the oldest gives way: %s',
  async (kind) => {
    const end = await request(paths(kind));
    await eventually(() => expect(cut.filter((path) => path?.startsWith(`/${kind}`))).toEqual(paths(kind).slice(0, 2)));
    expect(answersInFlight.bytes).toBe(300_000_000);
    await end();
  },
);

test('the bytes that SDKs with the same filters get count once', async () => {
  const end = await request(paths('shared'));
  expect(answersInFlight.bytes).toBe(30_000_000);
  expect(cut.filter((path) => path?.startsWith('/shared'))).toEqual([]);
  await end();
});
