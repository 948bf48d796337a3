// The public listener over a real socket and a real bus: the mounted routes, and the answers to malformed requests.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import type { Express } from 'express';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { type AnsweringOptions, createAnswers } from '../routing/answering.ts';
import { type Route, route } from '../routing/route.ts';
import { type Snapshots, startSnapshots } from '../sdk/snapshots/snapshots.ts';
import { routeTables } from '../testing/route-tables.ts';
import { createHostCheck } from './allowed-hosts.ts';
import {
  createPublicApp,
  createPublicServer,
  drainServer,
  otherPaths,
  type PublicAppOptions,
  serveApp,
  warnOfUntrustedProxy,
} from './server.ts';

let lines: Record<string, unknown>[];
const log = createLogger({
  service: 'test',
  level: 'debug',
  destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
});
/** Of the bus and the snapshots, which log whenever flags does not answer. */
const silent = createLogger({ service: 'test', level: 'silent' });
const health = () => ({});

/** A route that answers with its body, or with the error that its path names. */
const echo = route({
  method: 'post',
  path: '/echo/:code',
  operationId: 'echo',
  summary: 'Echo',
  tag: 'Test',
  audience: 'client',
  params: z.object({ code: z.string() }),
  body: z.unknown(),
  bodyLimitBytes: 1_000,
  answer: { status: 200, schema: z.unknown() },
  errors: [],
  async handle({ params, body, address }) {
    if (params.code === 'crash') throw new Error('a secret: hunter2');
    if (params.code !== 'ok') throw new AppError(params.code as 'conflict', 'As you wish.');
    return { status: 200, body: { body, address } };
  },
});

let bus: Bus;
let snapshots: Snapshots;
let server: Server;
let port: number;

const ann = { kind: 'user' as const, id: 7, username: 'ann', grants: [] };

const authenticateAnn = async ({ writes }: Route) => ({ actor: writes ? ann : null, token: null, sender: null });

const appOptions = ({
  authenticate = authenticateAnn,
  ...part
}: Partial<PublicAppOptions & Pick<AnsweringOptions, 'authenticate'>> = {}): PublicAppOptions => {
  const answerOf = createAnswers({ authenticate, requestTimeoutMs: 2_000, log });
  return { answerOf, requestTimeoutMs: 2_000, log, ...part };
};

beforeAll(async () => {
  lines = [];
  bus = await connectBus({
    url: inject('natsUrl'),
    prefix: `t${randomBytes(6).toString('hex')}`,
    log: silent,
    name: 'gateway',
  });
  snapshots = startSnapshots(bus, silent);
  server = createPublicServer();
  const open = { ...echo, path: '/open/:code', audience: 'public' as const };
  const patched = { ...echo, method: 'patch' as const };
  const change = { ...echo, path: '/change/:code', writes: true };
  const administered = { ...echo, path: '/admin/:code', audience: 'admin' as const };
  const ofrep = { ...echo, path: '/ofrep/v1/echo/:code' };
  serveApp(server, createPublicApp([echo, open, change, administered, patched, ofrep], health, appOptions()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

beforeEach(() => {
  lines = [];
});

afterAll(async () => {
  snapshots?.stop();
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await bus?.drain();
});

const call = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    ...init,
  });

/** Sends bytes and reads until the other side closes, or until `isEnough`. */
async function sendRaw(bytes: string, isEnough: (text: string) => boolean = () => false, to = port): Promise<string> {
  const socket: Socket = connect(to, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const part of socket) {
    text += part;
    if (isEnough(text)) break;
  }
  socket.destroy();
  return text;
}

/** Another listener with the route, and other settings. */
async function listenWith(part: Parameters<typeof appOptions>[0]) {
  const other = createPublicServer();
  serveApp(other, createPublicApp([echo], health, appOptions(part)));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  return {
    port: (other.address() as AddressInfo).port,
    close() {
      other.closeAllConnections();
      return new Promise((resolve) => other.close(resolve));
    },
  };
}

interface Layer {
  name: string;
  match(path: string): boolean;
  route?: { path: string | string[]; stack: { method: string }[] };
}

describe('the router', () => {
  let layers: Layer[];
  let table: Route[];

  beforeAll(() => {
    table = Object.values(routeTables(bus, snapshots, log)).flat();
    const app: Express = createPublicApp(table, health, appOptions());
    layers = app.router.stack as unknown as Layer[];
  });

  test('has the routes of the table and `otherPaths`, and no others', () => {
    const mounted = layers.flatMap(({ route: one }) =>
      [one?.path ?? []].flat().flatMap((path) => one?.stack.map(({ method }) => `${method} ${path}`) ?? []),
    );
    expect(mounted.sort()).toEqual(
      [...otherPaths.map((path) => `get ${path}`), ...table.map(({ method, path }) => `${method} ${path}`)].sort(),
    );
    // The header check, "no such path" and the error handler.
    expect(layers.filter(({ route: one }) => !one)).toHaveLength(3);
  });

  test('answers each path by its own route, not by an earlier one', () => {
    for (const { method, path } of table) {
      const asked = path.replace(/:\w+/g, 'x');
      const first = layers.find(
        (layer) => layer.route?.stack.some((one) => one.method === method) && layer.match(asked),
      );
      expect(first?.route?.path).toBe(path);
    }
  });

  test('rejects two routes of the same method and path, whatever the names of their parameters', () => {
    const twin = { ...echo, path: '/echo/:other' };
    expect(() => createPublicApp([echo, twin], health, appOptions())).toThrow('two routes are the same: post /echo/:');
  });
});

test('no cache may store an answer of an admin route', async () => {
  for (const code of ['ok', 'conflict']) {
    const answer = await call(`/admin/${code}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  expect((await call('/echo/ok')).headers.get('cache-control')).toBeNull();
});

test('a path of another case does not exist, and a slash at the end is accepted', async () => {
  expect((await call('/Echo/ok')).status).toBe(404);
  expect((await call('/echo/ok/')).status).toBe(200);
});

test.each(['/', '/docs/openapi/'])('%s leads to the documents where there is no console', async (path) => {
  const answer = await call(path, { method: 'GET', body: null, redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
});

test('a connection gets one document, and goes on after a 304', async () => {
  const document = '/docs/openapi.json';
  const get = await call(document, { method: 'GET', body: null });
  const etag = get.headers.get('etag')!;
  const head = await call(document, { method: 'HEAD', body: null });
  const same = await call(document, { method: 'GET', body: null, headers: { 'if-none-match': etag } });
  expect([get, same].map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [200, 'close'],
    [304, 'keep-alive'],
  ]);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  expect(await get.json()).toMatchObject({ openapi: '3.1.0' });
});

test.each(['/unknown', '/%zz'])('the refusal of %s has the id of the request as a header', async (path) => {
  const given = await call(path, { headers: { 'x-request-id': 'mine' } });
  expect([given.headers.get('x-request-id'), await given.json()]).toEqual([
    'mine',
    expect.objectContaining({ id: 'mine' }),
  ]);
  const made = await call(path);
  expect(made.headers.get('x-request-id')).toBe(((await made.json()) as { id: string }).id);
});

describe('the content type of a body', () => {
  const patchType = 'application/json-patch+json';

  test.each([
    ['POST', 'application/json; charset=utf-8', 200],
    ['POST', patchType, 415],
    ['POST', 'application/cloudevents+json', 415],
    ['POST', 'text/plain', 415],
    ['PATCH', 'application/json', 200],
    ['PATCH', `${patchType}; charset=utf-8`, 200],
    ['PATCH', 'application/merge-patch+json', 415],
  ])('%s with %s is answered %i', async (method, type, status) => {
    const answer = await call('/echo/ok', { method, body: '[]', headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
    if (status === 200) return;
    const accepted = method === 'PATCH' ? `(application/json, ${patchType})` : '(application/json)';
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining(accepted) });
  });
});

describe('a body', () => {
  test.each([
    ['an empty one of undeclared length', '0\r\n\r\n', '{"address":"127.0.0.1"}'],
    ['one with a byte order mark', '5\r\n\ufeff{}\r\n0\r\n\r\n', '{"body":{},"address":"127.0.0.1"}'],
  ])('%s is read', async (_title, chunks, answer) => {
    const type = 'content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close';
    expect(await sendRaw(`POST /echo/ok HTTP/1.1\r\nhost: x\r\n${type}\r\n\r\n${chunks}`)).toContain(answer);
  });
});

describe('a body that is larger than the limit of the route', () => {
  const head = `POST /echo/ok HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;

  test('is refused by its length before its first byte, and the connection ends', async () => {
    const text = await sendRaw(`${head}content-length: 5000000\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"name":"ContentTooLarge"');
  });

  test('is refused while it is sent, and the answer arrives', async () => {
    for (let i = 0; i < 10; i += 1) {
      const answer = await call('/echo/ok', { body: JSON.stringify('x'.repeat(3_000_000)) });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ name: 'ContentTooLarge' });
    }
  });

  test.each(['', 'content-encoding: identity\r\n'])(
    'is refused at the first byte beyond the limit, before it ends, and the connection ends (%j)',
    async (coding) => {
      const chunks = `3e8\r\n${'x'.repeat(1_000)}\r\n1\r\nx\r\n`;
      const text = await sendRaw(`${head}${coding}transfer-encoding: chunked\r\n\r\n${chunks}`);
      expect(text).toMatch(/^HTTP\/1.1 413 /);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(text).toContain('at most 1000 bytes');
    },
  );

  test('of undeclared length and exactly the limit is read', async () => {
    const json = JSON.stringify('x'.repeat(998));
    const body = `3e8\r\n${json}\r\n0\r\n\r\n`;
    const text = await sendRaw(`${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n${body}`);
    expect(text).toContain(json);
  });

  test('is refused without 100 Continue when the client waits for it', async () => {
    const text = await sendRaw(`${head}expect: 100-continue\r\ncontent-length: 5000000\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });

  test('a smaller one gets 100 Continue and is read', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n`);
    let text = '';
    for await (const part of socket) {
      text += part;
      if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('{}');
    }
    expect(text).toContain('HTTP/1.1 200 OK');
  });
});

describe('a malformed request', () => {
  const rest = 'content-length: 0\r\nconnection: close\r\n\r\n';

  test.each([
    ['without a host', `POST /echo/ok HTTP/1.1\r\n${rest}`, 400, 'ValidationError'],
    ['with two hosts', `POST /echo/ok HTTP/1.1\r\nhost: a\r\nhost: b\r\n${rest}`, 400, 'ValidationError'],
    [
      'with an expectation',
      `POST /echo/ok HTTP/1.1\r\nhost: a\r\nexpect: foo\r\n${rest}`,
      417,
      'ExpectationFailedError',
    ],
  ])('%s is refused in the shape of every error', async (_title, bytes, status, name) => {
    const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain(`x-request-id: ${JSON.parse(body).id}`);
    const message = expect.stringMatching(/./);
    expect(JSON.parse(body)).toEqual({ id: expect.stringMatching(/./), name, message, details: [{ message }] });
  });

  test('with a host name that is not allowed is refused before anything else, on every path', async () => {
    const guarded = await listenWith({ checkHost: createHostCheck(['flags.example']) });
    const get = (path: string, host: string) =>
      sendRaw(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`, () => false, guarded.port);
    for (const path of ['/health', '/ready', '/docs', '/none'])
      expect(await get(path, 'evil.example')).toMatch(/^HTTP\/1.1 400 .*flags.example \(ALLOWED_HOSTS\)/s);
    expect(await get('/health', 'flags.example:4242')).toContain('200 OK');
    expect(await get('/health', '127.0.0.1')).toContain('200 OK');
    await guarded.close();
  });

  test.each([
    ['http://flags.example/health', 'flags.example', 200],
    ['http://FLAGS.example:80/health', 'flags.example', 200],
    ['http://evil.example/health', 'flags.example', 400],
    ['http://evil.example/health', '127.0.0.1', 400],
    ['http://flags.example:1/health', 'flags.example', 400],
  ])('with the target %s and the host %s is answered with %i', async (target, host, status) => {
    const text = await sendRaw(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each(['gzip, chunked', 'identity, chunked'])('coded as %s is refused', async (coding) => {
    const rest = `content-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const text = await sendRaw(`POST /echo/ok HTTP/1.1\r\nhost: x\r\n${rest}`);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 400 .*transfer-encoding.*${coding}`, 's'));
  });

  test('HTTP/1.0 needs no host', async () => {
    expect(await sendRaw(`GET /health HTTP/1.0\r\n\r\n`)).toContain('200 OK');
  });

  test.each([
    ['/ofrep/v1/echo/%zz', 400, 'PARSE_ERROR'],
    ['/ofrep/v1/echo/%E0%A4', 400, 'PARSE_ERROR'],
    ['/ofrep/v1/none', 404, 'GENERAL'],
  ])('with the path %s has the fields of OFREP', async (path, status, errorCode) => {
    const answer = await call(path);
    expect(answer.status).toBe(status);
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ id: expect.any(String), message: expect.any(String), errorCode });
    expect(body.errorDetails).toBe(body.message);
  });

  test('of another path has none of these fields', async () => {
    expect(await (await call('/echo/%zz')).json()).not.toHaveProperty('errorCode');
  });

  test('gets no text of its JSON in the error, which may be a secret', async () => {
    const answer = await call('/echo/ok', { body: '{"password": hunter2}' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('hunter');
  });
});

describe('an error is logged under its id', () => {
  test.each([
    ['crash', 500, 'error'],
    ['unavailable', 503, 'warn'],
    ['timeout', 504, 'warn'],
    ['conflict', 409, 'info'],
    ['no-access', 403, 'info'],
    ['not-found', 404, 'info'],
    ['rate-limited', 429, 'debug'],
  ])('%s: %i at level %s', async (code, status, level) => {
    const answer = await call(`/echo/${code}`);
    const { id } = (await answer.json()) as { id: string };
    const line = lines.find(({ requestId }) => requestId === id);
    expect(line).toMatchObject({ method: 'POST', route: '/echo/:code', operation: 'echo', actor: null, status });
    expect(line).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), durationMs: expect.any(Number) });
    expect(line?.level).toBe({ error: 50, warn: 40, info: 30, debug: 20 }[level]);
    expect(answer.status).toBe(status);
  });

  test('at level debug before the caller is known', async () => {
    const guarded = await listenWith({
      authenticate: async () => {
        throw new AppError('unauthenticated', 'no');
      },
    });
    await (await fetch(`http://127.0.0.1:${guarded.port}/echo/ok`, { method: 'POST', body: '{}' })).text();
    await guarded.close();
    expect(lines.find(({ code }) => code === 'unauthenticated')?.level).toBe(20);
  });

  test('at level debug on public routes, where anybody could fill the log', async () => {
    await (await call('/open/conflict')).text();
    expect(lines.find(({ route }) => route === '/open/:code')).toMatchObject({ status: 409, level: 20 });
  });
});

test('a change leaves one line, with the trace of its caller; a read leaves none', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const headers = { 'content-type': 'application/json', 'x-request-id': 'mine-1', traceparent };
  await (await call('/change/ok', { headers })).text();
  await (await call('/echo/ok', { headers })).text();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    ...{ level: 30, requestId: 'mine-1', traceId: '0af7651916cd43dd8448eb211c80319c', operation: 'echo' },
    ...{ actor: 7, status: 200, durationMs: expect.any(Number) },
  });
  lines.length = 0;
  await (await call('/change/conflict', { headers })).text();
  expect(lines).toMatchObject([{ level: 30, requestId: 'mine-1', operation: 'echo', actor: 7, status: 409 }]);
});

describe('draining', () => {
  let draining: Server;
  let drainingPort: number;

  beforeEach(async () => {
    draining = createPublicServer();
    serveApp(draining, createPublicApp([echo], health, appOptions()));
    await new Promise<void>((resolve) => draining.listen(0, '127.0.0.1', resolve));
    drainingPort = (draining.address() as AddressInfo).port;
  });
  afterEach(() => draining.closeAllConnections());

  /** Resolves when the server has read the bytes. `closed` resolves when the server closes the connection. */
  async function open(bytes: string): Promise<{ closed: Promise<unknown>; socket: Socket }> {
    const accepted = once(draining, 'connection') as Promise<[Socket]>;
    const socket = connect(drainingPort, '127.0.0.1');
    const [atServer] = await accepted;
    socket.write(bytes);
    await expect.poll(() => atServer.bytesRead).toBe(bytes.length);
    socket.on('error', () => undefined).resume();
    return { closed: once(socket, 'close'), socket };
  }

  const head = 'POST /echo/ok HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n';

  test('closes a connection on which nothing was ever sent', async () => {
    const { closed } = await open('');
    await drainServer(draining, { headTimeoutMs: 200 });
    await closed;
  });

  test.each([
    ['a first request', head],
    ['a second request', `${head}\r\n{}${head}`],
  ])('closes a connection with half the head of %s after some seconds', async (_title, bytes) => {
    const { closed } = await open(bytes);
    await drainServer(draining, { headTimeoutMs: 200 });
    await closed;
  });

  test('answers a client that sends the rest in that time', async () => {
    const { socket } = await open(head);
    const answer = text(socket);
    const drained = drainServer(draining);
    await expect.poll(() => draining.listening).toBe(false);
    socket.write('\r\n{}');
    expect(await answer).toMatch(/^HTTP\/1.1 200 /);
    await drained;
  });
});

describe('the address of a request', () => {
  test('is warned of once when a proxy sends another and none is trusted', async () => {
    warnOfUntrustedProxy(server, log);
    const warnings = () => lines.filter(({ msg }) => String(msg).includes('TRUST_PROXY'));
    await call('/echo/ok');
    expect(warnings()).toEqual([]);
    for (let i = 0; i < 2; i += 1) await call('/echo/ok', { headers: forwarded });
    expect(warnings()).toMatchObject([{ level: 40 }]);
  });

  const forwarded = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };

  test('is that of the connection unless proxies are trusted, whatever the headers', async () => {
    const own = (await (await call('/echo/ok', { headers: forwarded })).json()) as { address: string };
    expect(own.address).toBe('127.0.0.1');
  });

  test('is the one before the trusted proxies', async () => {
    const proxied = await listenWith({ trustProxy: 1 });
    const answer = await fetch(`http://127.0.0.1:${proxied.port}/echo/ok`, {
      method: 'POST',
      headers: forwarded,
      body: '{}',
    });
    expect(await answer.json()).toMatchObject({ address: '198.51.100.7' });
    await proxied.close();
  });
});
