// Sends requests for streams over real sockets to a server that answers them in turns.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { cpuTimeMs } from '@yardarm/evaluation';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerOpeningsInTurns } from './opening-turns.ts';

const streaming = '/api/client/streaming';

let server: Server;
/** The paths of the requests that were answered, in their order. */
let answered: string[];

beforeEach(async () => {
  answered = [];
  const app = answerOpeningsInTurns(
    (request, response) => {
      if (request.url === streaming) burn(5);
      answered.push(request.url!);
      response.end();
    },
    () => 'one address',
  );
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function burn(ms: number): void {
  const endsAt = cpuTimeMs() + ms;
  while (cpuTimeMs() < endsAt);
}

function ask(path: string) {
  const { port } = server.address() as AddressInfo;
  return get({ port, path, agent: false, headers: { authorization: 'a-token' } }).on('error', () => undefined);
}

async function answerOf(path: string): Promise<void> {
  const [response] = (await once(ask(path), 'response')) as [IncomingMessage];
  response.resume();
}

test('other requests are answered between two turns of requests for streams', async () => {
  const all = Promise.all(Array.from({ length: 40 }, () => answerOf(streaming)));
  await eventually(() => expect(answered.length).toBeGreaterThan(0));
  await answerOf('/api/client/features');
  await all;
  expect(answered).toHaveLength(41);
  expect(answered.indexOf('/api/client/features')).toBeLessThan(40);
});

test('a request whose client leaves while it waits is not answered', async () => {
  const requests = Array.from({ length: 40 }, () => ask(streaming));
  const sockets = await Promise.all(requests.map(async (request) => (await once(request, 'socket'))[0]));
  await eventually(() => expect(answered.length).toBeGreaterThan(0));
  for (const socket of sockets) socket.destroy();
  const connections = promisify(server.getConnections.bind(server));
  await eventually(async () => expect(await connections()).toBe(0));
  await answerOf(streaming);
  expect(answered.length).toBeLessThan(40);
});
