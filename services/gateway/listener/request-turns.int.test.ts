// Sends requests over real sockets to a server that answers them in turns.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { promisify } from 'node:util';
import { cpuTimeMs } from '@yardarm/evaluation';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerCrowdsInTurns, answerOpeningsInTurns, type CallerOf } from './request-turns.ts';

const streaming = '/api/client/streaming';
const crowded = '/crowded';

let server: Server;
/** The paths of the requests that were answered, in their order. */
let answered: string[];

beforeEach(async () => {
  answered = [];
  const callerOf: CallerOf = ({ headers }) => `${headers.authorization}`;
  const others = answerCrowdsInTurns((request, response) => {
    if (request.url === streaming) burn(5);
    if (request.url === crowded) burn(1);
    answered.push(request.url!);
    response.end();
  }, callerOf);
  server = createServer(answerOpeningsInTurns(others, callerOf)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const connections = () => promisify(server.getConnections.bind(server))();

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
  await eventually(async () => expect(await connections()).toBe(0));
  await answerOf(streaming);
  expect(answered.length).toBeLessThan(40);
});

test('of a hundred requests of a caller that arrive together, another one waits for a turn', async () => {
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 101 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await eventually(async () => expect(await connections()).toBe(101));
  const last = sockets.pop()!;
  const send = (socket: typeof last, path: string, token: string) =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n\r\n`);
  for (const socket of sockets) send(socket, crowded, 'a-token');
  send(last, '/other', 'another-token');
  await eventually(() => expect(answered).toHaveLength(101));
  expect(answered.indexOf('/other')).toBeLessThan(60);
});
