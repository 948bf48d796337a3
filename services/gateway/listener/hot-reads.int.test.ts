// The reads that are answered without Express, and the requests that reach the app unchanged.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { metrics } from '@yardarm/shared/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createAnswers } from '../routing/answering.ts';
import { type Route, route } from '../routing/route.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { answerHotReads } from './hot-reads.ts';
import { createPublicServer, drainServer, serveApp } from './server.ts';

const about = { operationId: 'x', summary: 'x', tag: 'x', audience: 'client', errors: [] } as const;
const get = { ...about, method: 'get', answer: { status: 200 } } as const;
const bytes = (body: string, headers = {}) => ({ status: 200, headers, body: Buffer.from(body) });

const routes: Route[] = [
  route({ ...get, path: '/things', isHot: true, handle: () => bytes('all', { etag: '"1"' }) }),
  route({
    ...{ ...get, path: '/things/:name', isHot: true, params: z.object({ name: z.string().max(10) }) },
    handle({ params: { name } }) {
      if (name === 'missing') throw new AppError('not-found', 'There is no such thing.');
      return name === 'slow' ? Promise.resolve(bytes('slow')) : bytes(name);
    },
  }),
  route({ ...get, path: '/things/special', handle: () => bytes('special') }),
];

let server: ReturnType<typeof createPublicServer>;
let lines: Record<string, unknown>[];
let addresses: string[];

beforeEach(async () => {
  lines = [];
  addresses = [];
  const log = createLogger({
    ...{ service: 'test', level: 'debug' },
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  server = createPublicServer();
  const answerOf = createAnswers({
    authenticate(_route, request) {
      const sent = request.header('authorization');
      if (sent === 'known') return { actor: null, token: null, sender: null };
      if (sent === 'refused') throw new AppError('no-access', 'no');
      addresses.push(request.address);
      return Promise.reject(new AppError('unauthenticated', 'unknown'));
    },
    ...{ requestTimeoutMs: 1_000, log },
  });
  const app = answerHotReads((_request, response) => response.end('app'), routes, {
    ...{ answerOf, checkHost: createHostCheck(['a']) },
    isTrusted: (address) => address === '127.0.0.1',
  });
  serveApp(server, app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function send(line: string, ...headers: string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write([`${line} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n'));
  return text(socket);
}

const host = 'Host: a';
const known = 'Authorization: known';

test.each([
  ['/things', 'all'],
  ['/things/one', 'one'],
  ['/things/a.b_c-1', 'a.b_c-1'],
  ['/things/slow', 'slow'],
])('GET %s is answered before the app', async (path, body) => {
  expect(await send(`GET ${path}`, host, known)).toMatch(new RegExp(`\r\n\r\n${body}$`));
});

test.each([
  ['a parameter that the schema refuses', '/things/longer-than-ten', [known], 400, 'ValidationError'],
  ['a value that does not exist', '/things/missing', [known], 404, 'NotFoundError'],
  ['a token that is refused', '/things', ['Authorization: refused'], 403, 'NoAccessError'],
  ['an unknown token', '/things', ['Authorization: other'], 401, 'AuthenticationRequired'],
  ['two tokens', '/things', [known, 'authorization: known'], 400, 'ValidationError'],
])('%s is refused as by any other route', async (_title, path, headers, status, name) => {
  const answer = await send(`GET ${path}`, host, ...headers, 'X-Request-Id: mine-1');
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toContain('x-content-type-options: nosniff\r\n');
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ id: 'mine-1', name });
  expect(lines).toMatchObject([{ requestId: 'mine-1', operation: 'x', status }]);
});

test('the address of a caller is the one before the trusted proxies', async () => {
  await send('GET /things', host, 'Authorization: other', 'X-Forwarded-For: 10.0.0.9');
  expect(addresses).toEqual(['10.0.0.9']);
});

test.each([
  ['another method', 'POST /things', [host, known, 'Content-Length: 0']],
  ['a query', 'GET /things?', [host, known]],
  ['a slash at the end', 'GET /things/', [host, known]],
  ['another case', 'GET /Things', [host, known]],
  ['an encoded path', 'GET /things/%6Fne', [host, known]],
  ['the path of another route', 'GET /things/special', [host, known]],
  ['no host', 'GET /things', [known]],
  ['two hosts', 'GET /things', [host, 'host: b', known]],
  ['a host that is not allowed', 'GET /things', ['Host: b', known]],
  ['a cookie', 'GET /things', [host, known, 'Cookie: a=1']],
])('%s goes to the app', async (_title, line, headers) => {
  expect(await send(line, ...headers)).toMatch(/\r\n\r\n(3\r\n)?app/);
});

test('HEAD goes to the app', async () => {
  expect(await send('HEAD /things', host, known)).not.toContain('etag');
});

test('an answer has the usual headers and the request id of the caller, and is counted', async () => {
  const answer = await send('GET /things', host, known, 'X-Request-Id: mine-1');
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  for (const line of ['x-content-type-options: nosniff', 'x-request-id: mine-1', 'etag: "1"', 'content-length: 3'])
    expect(answer).toContain(`${line}\r\n`);
  expect(await send('GET /things', host, known)).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/);
  expect(await metrics.metrics()).toMatch(
    /yardarm_http_request_seconds_count\{method="get",path="\/things",status="200"\} [1-9]/,
  );
});

test('while the server drains, an answer closes its connection', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  const drained = drainServer(server);
  socket.write(`GET /things HTTP/1.1\r\n${host}\r\n${known}\r\n\r\n`);
  expect(await text(socket)).toMatch(/connection: close\r\n/i);
  await drained;
});

test('the log has thirty refusals of a caller in a minute, and the others at level debug', async () => {
  const missing = (address: string) => send('GET /things/missing', host, known, `X-Forwarded-For: ${address}`);
  const levels = () => lines.filter(({ msg }) => msg === 'a request was refused').map(({ level }) => level);
  for (let n = 0; n < 70; n += 1) expect(await missing('192.0.2.1')).toMatch(/^HTTP\/1.1 404 /);
  const [noted, ...others] = levels();
  expect(others.slice(0, 29)).toEqual(Array(29).fill(noted));
  // Twice as many, if a minute ends meanwhile.
  expect(others.filter((level) => level === noted).length).toBeLessThanOrEqual(59);
  await missing('192.0.2.2');
  expect(levels().at(-1)).toBe(noted);
});
