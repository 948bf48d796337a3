// The requests that are answered before the app. All others reach the app unchanged.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { AppError } from '@yardarm/shared/errors';
import { metrics } from '@yardarm/shared/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createPublicServer, drainServer, serveApp } from '../server.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { answerBefore } from './answer-now.ts';
import { type Route, route } from './route.ts';

const about = { operationId: 'x', summary: 'x', tag: 'x', audience: 'client', errors: [] } as const;
const handle = async () => ({ status: 200 });

const routes: Route[] = [
  route({
    ...{ ...about, method: 'get', path: '/things', answer: { status: 200 }, handle },
    answerNow: () => ({ status: 200, headers: { etag: '"1"' }, body: Buffer.from('all') }),
  }),
  route({
    ...{ ...about, method: 'get', path: '/things/:name', answer: { status: 200 }, handle },
    params: z.object({ name: z.string().max(10) }),
    answerNow: ({ params: { name } }) =>
      name === 'missing' ? null : { status: 200, headers: {}, body: Buffer.from(name) },
  }),
  route({ ...about, method: 'get', path: '/things/special', answer: { status: 200 }, handle }),
];

let server: ReturnType<typeof createPublicServer>;

beforeEach(async () => {
  server = createPublicServer();
  const answers = answerBefore(
    (_request, response) => response.end('app'),
    routes,
    (_route, { header }) => {
      if (header('authorization') === 'refused') throw new AppError('no-access', 'no');
      return header('authorization') === 'known' ? { actor: null, token: null, sender: null } : null;
    },
    createHostCheck(['a']),
  );
  serveApp(server, answers);
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
])('GET %s is answered before the app', async (path, body) => {
  expect(await send(`GET ${path}`, host, known)).toMatch(new RegExp(`\r\n\r\n${body}$`));
});

test.each([
  ['another method', 'POST /things', [host, known, 'Content-Length: 0']],
  ['a query', 'GET /things?', [host, known]],
  ['a slash at the end', 'GET /things/', [host, known]],
  ['another case', 'GET /Things', [host, known]],
  ['an encoded path', 'GET /things/%6Fne', [host, known]],
  ['the path of another route', 'GET /things/special', [host, known]],
  ['a parameter that the schema refuses', 'GET /things/longer-than-ten', [host, known]],
  ['a value that is not in memory', 'GET /things/missing', [host, known]],
  ['no host', 'GET /things', [known]],
  ['two hosts', 'GET /things', [host, 'host: b', known]],
  ['a host that is not allowed', 'GET /things', ['Host: b', known]],
  ['a cookie', 'GET /things', [host, known, 'Cookie: a=1']],
  ['two tokens', 'GET /things', [host, known, 'authorization: known']],
  ['a token that is not in memory', 'GET /things', [host, 'Authorization: other']],
  ['a token that is refused', 'GET /things', [host, 'Authorization: refused']],
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
