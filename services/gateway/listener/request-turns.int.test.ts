// Sends requests over real sockets to a server that answers them in turns.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cpuTimeMs } from '@yardarm/evaluation';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerCrowdsInTurns, answerOpeningsInTurns, type CallerOf } from './request-turns.ts';

const streaming = '/api/client/streaming';
const crowded = '/crowded';
/** Its answers begin once the test lets them. */
const waiting = '/waiting';
const download = '/download';

let server: Server;
/** The paths of the requests that were answered, in their order. */
let answered: string[];
/** The paths of the requests for `waiting` that have begun. */
let begun: string[];
let goOn: PromiseWithResolvers<void>;

beforeEach(async () => {
  answered = [];
  begun = [];
  goOn = Promise.withResolvers();
  const callerOf: CallerOf = ({ headers }) => `${headers.authorization}`;
  const others = answerCrowdsInTurns(async (request, response) => {
    if (request.url!.startsWith(waiting)) {
      begun.push(request.url!);
      await goOn.promise;
    }
    if (request.url === download) {
      await yieldToEventLoop();
      return void response.writeHead(200).write('a');
    }
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

function ask(path: string, authorization = 'a-token') {
  const { port } = server.address() as AddressInfo;
  return get({ port, path, agent: false, headers: { authorization } }).on('error', () => undefined);
}

async function answerOf(path: string, token?: string): Promise<void> {
  const [response] = (await once(ask(path, token), 'response')) as [IncomingMessage];
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

/** As many requests without an answer as make those that come next a crowd, one after the other. */
async function makeCrowd(): Promise<void> {
  for (let n = 1; n <= 96; n += 1) {
    ask(waiting, 'first-token');
    await eventually(() => expect(begun).toHaveLength(n));
  }
}

test('in a crowd a caller has sixteen requests without an answer, and those of another one begin', async () => {
  await makeCrowd();
  const all = Promise.all(Array.from({ length: 40 }, () => answerOf(waiting)));
  await eventually(() => expect(begun).toHaveLength(96 + 16));
  await answerOf('/other', 'another-token');
  expect(begun).toHaveLength(96 + 16);
  goOn.resolve();
  await all;
  expect(begun).toHaveLength(96 + 40);
});

test('an answer that has begun keeps no request of its caller waiting', async () => {
  await makeCrowd();
  const requests = Array.from({ length: 40 }, () => ask(download));
  await Promise.all(requests.map((request) => once(request, 'response')));
  for (const request of requests) request.destroy();
});

test('a client that leaves gives its place back, and takes none if it had to wait', async () => {
  await makeCrowd();
  const paths = Array.from({ length: 40 }, (_, n) => `${waiting}/${n}`);
  const requests = new Map(paths.map((path) => [path, ask(path)]));
  await eventually(() => expect(begun).toHaveLength(96 + 16));
  await eventually(async () => expect(await connections()).toBe(96 + 40));
  for (const path of paths) if (!begun.includes(path)) requests.get(path)!.destroy();
  await eventually(async () => expect(await connections()).toBe(96 + 16));
  for (const request of requests.values()) request.destroy();
  await eventually(async () => expect(await connections()).toBe(96));
  expect(begun).toHaveLength(96 + 16);
  const all = Promise.all(Array.from({ length: 40 }, () => answerOf(waiting)));
  await eventually(() => expect(begun).toHaveLength(96 + 16 + 16));
  goOn.resolve();
  await all;
  expect(begun).toHaveLength(96 + 16 + 40);
});
