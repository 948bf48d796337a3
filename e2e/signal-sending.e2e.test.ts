// What senders send to signal endpoints: exact payloads, keys that repeat, and bad input, through two gateways.
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { connectBus } from '@yardarm/shared/bus';
import { type CallOptions, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let second: string;
let endpoints = 0;

beforeAll(async () => {
  system = await startSystem({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '50' });
  second = await system.addGateway();
});
afterAll(() => system?.stop());

interface Endpoint {
  id: number;
  name: string;
  path: string;
  tokenId: number;
  send(body?: unknown, options?: CallOptions & { key?: string }): ReturnType<TestSystem['call']>;
  newToken(): Promise<{ id: number; bearer: string }>;
}

async function makeEndpoint(ratePerSecond = 1_000): Promise<Endpoint> {
  endpoints += 1;
  const name = `endpoint-${endpoints}`;
  const made = await system.call('POST', '/api/admin/signal-endpoints', { body: { name, ratePerSecond } });
  const { id } = made.body;
  const path = `/api/signal-endpoint/${name}`;
  const newToken = async () => {
    const body = { name: `token-${Math.random()}` };
    const { body: token } = await system.call('POST', `/api/admin/signal-endpoints/${id}/tokens`, { body });
    return { id: token.id as number, bearer: `Bearer ${token.token}` };
  };
  const own = await newToken();
  return {
    ...{ id, name, path, tokenId: own.id, newToken },
    send: (body, { key, headers, ...options } = {}) =>
      system.call('POST', path, {
        ...{ token: own.bearer, body, ...options },
        headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers },
      }),
  };
}

const stored = ({ id }: Endpoint) =>
  system.database.rows<{ id: string; payload: string }>(
    'select id, payload from signals.signals where endpoint_id = $1 order by id',
    [id],
  );

describe('a payload', () => {
  test.each([
    '{"big":123456789012345678901234567890,"huge":1e400,"zeros":1.10}',
    ' { "spaces" : [ 1 , 2 ] }\n',
    '{"twice":1,"twice":2}',
    '"\\u0000 \\ud800 ümläut 🏴‍☠️"',
    'null',
  ])('is answered, stored and shown as it was sent: %s', async (text) => {
    const endpoint = await makeEndpoint();
    const sent = await endpoint.send(text);
    expect(sent.status).toBe(200);
    expect(sent.text).toContain(`"payload":${text}}]}`);
    const [signal] = sent.body.signals;
    expect(signal).toMatchObject({ source: 'signal-endpoint', sourceId: endpoint.id });
    expect(signal.createdBySourceTokenId).toBe(endpoint.tokenId);
    await system.processAll();
    expect(await stored(endpoint)).toEqual([{ id: String(signal.id), payload: text }]);
  });

  test('is null without a body', async () => {
    const endpoint = await makeEndpoint();
    expect((await endpoint.send()).body.signals).toMatchObject([{ payload: null }]);
  });
});

describe('a stored signal', () => {
  test('is shown to the token that sent it, and to no other', async () => {
    const endpoint = await makeEndpoint();
    const other = await makeEndpoint();
    const { bearer } = await endpoint.newToken();
    const { bearer: foreign } = await other.newToken();
    const sender = await endpoint.newToken();
    const text = '{"exact":1.0}';
    const { body } = await endpoint.send(text, { token: sender.bearer });
    const [{ id }] = body.signals;
    await system.processAll();
    const read = (token: string, path = endpoint.path, of: string = id) =>
      system.call('GET', `${path}/signals/${of}`, { token });
    const found = await read(sender.bearer);
    expect(found).toMatchObject({ status: 200, body: body.signals[0] });
    expect(found.text).toContain(`"payload":${text}}`);
    expect((await read(bearer)).status).toBe(404);
    expect((await read(foreign, other.path)).status).toBe(404);
    expect((await read(foreign)).status).toBe(404);
    for (const id of ['0', '-1', '1e3', '99999999999999999999', 'x'.repeat(300)])
      expect((await read(sender.bearer, endpoint.path, id)).status).toBe(404);
  });

  test('is 404 with Retry-After until it is stored, and 429 beyond ten requests in a second', async () => {
    const endpoint = await makeEndpoint();
    const { bearer } = await endpoint.newToken();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => system.call('GET', `${endpoint.path}/signals/987654`, { token: bearer })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(10);
    expect(statuses).toContain(429);
    for (const { headers } of answers) expect(headers.get('retry-after')).toBe('1');
  });
});

describe('an Idempotency-Key', () => {
  test.each([5, 1_000])('on two gateways at once is one signal, at %i a second', async (rate) => {
    const endpoint = await makeEndpoint(rate);
    const answers = await Promise.all(
      [system.url, second, system.url, second].map((url) => endpoint.send({ a: 1 }, { key: 'raced', url })),
    );
    const signals = answers.map(({ status, body }) => [status, body.signals?.[0]]);
    for (const signal of signals) expect(signal).toEqual([200, signals[0]![1]]);
    await system.processAll();
    expect(await stored(endpoint)).toHaveLength(1);
    await endpoint.send({ a: 1 }, { key: 'another' });
    await system.processAll();
    expect(await stored(endpoint)).toHaveLength(2);
  });

  test.each([5, 1_000])('with another body is 422, at %i a second', async (rate) => {
    const endpoint = await makeEndpoint(rate);
    const first = await endpoint.send('{"a":1}', { key: 'used' });
    expect(first.status).toBe(200);
    const refused = await endpoint.send('{"a": 1}', { key: 'used', url: second });
    expect(refused).toMatchObject({ status: 422, body: { name: 'UnprocessableContentError' } });
    const repeated = await endpoint.send('{"a":1}', { key: 'used', url: second });
    expect(repeated.body.signals).toEqual(first.body.signals);
    const other = await endpoint.newToken();
    expect((await endpoint.send('{"a": 1}', { key: 'used', token: other.bearer })).status).toBe(200);
  });

  test('whose first attempt died after its claim is published by the next one', async () => {
    const endpoint = await makeEndpoint();
    // What a gateway leaves that dies between claim and publish.
    const [claimed] = await system.database.rows<{ id: string }>(
      `insert into signals.idempotency_keys (token_id, key, body_hash, signal_id, created_at)
       values ($1, 'died', $2, nextval('signals.signal_ids'), 1800000000123)
       returning signal_id as id`,
      [endpoint.tokenId, hash('sha256', '{"a":1}', 'base64url')],
    );
    const answer = await endpoint.send('{"a":1}', { key: 'died' });
    expect(answer.body.signals).toMatchObject([{ id: Number(claimed!.id), createdAt: '2027-01-15T08:00:00.123Z' }]);
    await system.processAll();
    expect(await stored(endpoint)).toEqual([{ id: claimed!.id, payload: '{"a":1}' }]);
  });

  test('that repeats takes nothing from the signals that are new', async () => {
    const endpoint = await makeEndpoint(10);
    const first = await endpoint.send({ a: 1 }, { key: 'again' });
    // Ten admissions and twelve calls a second: the first one has used one of each.
    const repeated = await Promise.all(Array.from({ length: 30 }, () => endpoint.send({ a: 1 }, { key: 'again' })));
    const fresh = [];
    for (let n = 0; n < 9; n += 1) fresh.push(await endpoint.send({ n }, { key: `new-${n}` }));
    for (const { body } of repeated) expect(body.signals).toEqual(first.body.signals);
    expect(fresh.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
  });

  test('that repeats is answered from memory, published again, and refused with another body or token', async () => {
    const published: (string | undefined)[] = [];
    const url = await system.addGateway({
      connectBus: async (options) => {
        const bus = await connectBus(options);
        return {
          ...bus,
          publish: (subject, message, options) => {
            published.push(options?.msgId);
            return bus.publish(subject, message, options);
          },
        };
      },
    });
    const endpoint = await makeEndpoint(5);
    const sender = await endpoint.newToken();
    const send = (body: unknown) => endpoint.send(body, { key: 'known', token: sender.bearer, url });
    const { id } = (await send({ a: 1 })).body.signals[0];
    // Only memory has the claim.
    await system.database.rows('delete from signals.idempotency_keys where token_id = $1', [sender.id]);
    expect((await send({ a: 1 })).body.signals).toMatchObject([{ id }]);
    expect(published).toEqual([`signal-${id}`, `signal-${id}`]);
    expect((await send({ a: 2 })).status).toBe(422);
    const other = await endpoint.newToken();
    const ofOther = await endpoint.send({ a: 1 }, { key: 'known', token: other.bearer, url });
    expect(ofOther.body.signals[0].id).not.toBe(id);
    await system.call('DELETE', `/api/admin/signal-endpoints/${endpoint.id}/tokens/${sender.id}`);
    await eventually(async () => expect((await send({ a: 1 })).status).toBe(401), 2_000);
  });

  test('may be sent once only', async () => {
    const endpoint = await makeEndpoint(1);
    const { bearer } = await endpoint.newToken();
    const headers = ['host', new URL(system.url).host, 'authorization', bearer, 'content-type', 'application/json'];
    const options = { method: 'POST', headers: [...headers, 'idempotency-key', 'a', 'Idempotency-Key', 'a'] };
    const outgoing = request(`${system.url}${endpoint.path}`, options).end('{}');
    const [incoming] = await once(outgoing, 'response');
    expect(incoming.statusCode).toBe(400);
    expect(await json(incoming)).toMatchObject({ message: expect.stringContaining('idempotency-key header') });
    expect((await endpoint.send({})).status).toBe(200);
  });

  test.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['10 kB', 'x'.repeat(10_000)],
    ['of other characters than ASCII', 'grüße'],
  ])('may not be %s', async (_title, key) => {
    const endpoint = await makeEndpoint();
    const refused = await endpoint.send({}, { key });
    expect(refused).toMatchObject({ status: 400, body: { name: 'ValidationError' } });
    expect(refused.body.message).toContain('Idempotency-Key');
  });
});

describe('bad input', () => {
  const json = { 'content-type': 'application/json' };
  const cases: [string, number, { body: Buffer; headers?: Record<string, string> }][] = [
    ['101 levels', 400, { body: Buffer.from('['.repeat(101) + ']'.repeat(101)) }],
    ['fifty thousand levels', 400, { body: Buffer.from('['.repeat(50_000) + ']'.repeat(50_000)) }],
    ['half a document', 400, { body: Buffer.from('{"a":') }],
    ['no UTF-8', 400, { body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['100 kB and a byte', 413, { body: Buffer.from(JSON.stringify('x'.repeat(102_399))) }],
    [
      'a gzip bomb',
      413,
      { body: gzipSync(JSON.stringify('x'.repeat(20_000_000))), headers: { 'content-encoding': 'gzip' } },
    ],
    ['no gzip', 400, { body: Buffer.from('{}'), headers: { 'content-encoding': 'gzip' } }],
    ['an unknown coding', 415, { body: Buffer.from('{}'), headers: { 'content-encoding': 'zstd' } }],
    ['another type', 415, { body: Buffer.from('a'), headers: { 'content-type': 'text/plain' } }],
    [
      'another charset',
      415,
      { body: Buffer.from('{}'), headers: { 'content-type': 'application/json; charset=latin1' } },
    ],
    ['a bad key', 400, { body: Buffer.from('{}'), headers: { 'idempotency-key': 'x'.repeat(10_000) } }],
  ];

  test.each(cases)('%s is %i, and uses no admission', async (_title, status, { body, headers }) => {
    const endpoint = await makeEndpoint(1);
    const refused = await endpoint.send(body, { headers: { ...json, ...headers } });
    expect(refused.status).toBe(status);
    const message = expect.any(String);
    expect(refused.body).toEqual({ id: message, name: message, message, details: [{ message }] });
    // At one signal a second an admission that was used would make this 429.
    expect((await endpoint.send({})).status).toBe(200);
    await system.processAll();
    expect(await stored(endpoint)).toHaveLength(1);
  });

  test('100 kB and a byte in chunks is 413 before the body ends, and the connection closes', async () => {
    const endpoint = await makeEndpoint(1);
    const { bearer } = await endpoint.newToken();
    const { hostname, port, host } = new URL(system.url);
    const socket = connect(Number(port), hostname);
    const head = ['POST', endpoint.path, 'HTTP/1.1'].join(' ');
    const headers = [`Host: ${host}`, `Authorization: ${bearer}`, 'Content-Type: application/json'];
    socket.write([head, ...headers, 'Transfer-Encoding: chunked', '', ''].join('\r\n'));
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.write(`19001\r\n"${'x'.repeat(102_400)}\r\n`);
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect((await endpoint.send({})).status).toBe(200);
  });
});

describe('a change of an endpoint', () => {
  const within = 2_000;
  const statusesOf = async (endpoint: Endpoint, options: CallOptions = {}) =>
    Promise.all([system.url, second].map(async (url) => (await endpoint.send({}, { url, ...options })).status));

  test('is felt on both gateways within two seconds', async () => {
    const endpoint = await makeEndpoint();
    const { id, bearer } = await endpoint.newToken();
    expect(await statusesOf(endpoint)).toEqual([200, 200]);
    expect(await statusesOf(endpoint, { token: bearer })).toEqual([200, 200]);
    const path = `/api/admin/signal-endpoints/${endpoint.id}`;
    await system.call('DELETE', `${path}/tokens/${id}`);
    await eventually(async () => expect(await statusesOf(endpoint, { token: bearer })).toEqual([401, 401]), within);
    await system.call('POST', `${path}/off`);
    await eventually(async () => expect(await statusesOf(endpoint)).toEqual([404, 404]), within);
    await system.call('POST', `${path}/on`);
    await eventually(async () => expect(await statusesOf(endpoint)).toEqual([200, 200]), within);
    await system.call('DELETE', path);
    await eventually(async () => expect(await statusesOf(endpoint)).toEqual([401, 401]), within);
  });

  test('of another token is 404 as for an endpoint that does not exist, also while it is off', async () => {
    const [one, other] = [await makeEndpoint(), await makeEndpoint()];
    const { bearer } = await one.newToken();
    const answerOf = async (name: string) => {
      const { status, body } = await system.call('POST', `/api/signal-endpoint/${name}`, { token: bearer, body: {} });
      return [status, body.name, body.message?.replace(name, 'NAME')];
    };
    const unknown = await answerOf('nowhere');
    expect(unknown[0]).toBe(404);
    expect(await answerOf(other.name)).toEqual(unknown);
    await system.call('POST', `/api/admin/signal-endpoints/${other.id}/off`);
    expect(await answerOf(other.name)).toEqual(unknown);
    expect((await answerOf(one.name))[0]).toBe(200);
  });
});

test('while signals is away a sender gets 503 with Retry-After', async () => {
  const endpoint = await makeEndpoint();
  expect((await endpoint.send({})).status).toBe(200);
  await system.stopService('signals');
  for (const options of [{}, { key: 'kept' }]) {
    await eventually(async () => {
      const refused = await endpoint.send({}, options);
      expect([refused.status, refused.body.name, refused.headers.get('retry-after')]).toEqual([
        503,
        'UnavailableError',
        '1',
      ]);
    });
  }
});
