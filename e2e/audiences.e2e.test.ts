// Audiences and roles: the kinds of tokens, bad input, and the one shape of all errors.
import { connect } from 'node:net';
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let viewer: { id: number; secret: string };

beforeAll(async () => {
  system = await startSystem();
  const account = await system.call('POST', '/api/admin/service-account', {
    body: { username: 'viewer', name: 'A viewer', rootRole: 3 },
  });
  const token = await system.call('POST', `/api/admin/service-account/${account.body.id}/token`, {
    body: { description: 'ci', expiresAt: '2999-01-01T00:00:00Z' },
  });
  viewer = { id: account.body.id, secret: token.body.secret };
});

afterAll(() => system?.stop());

describe('tokens', () => {
  test.each([
    ['no token', () => null, 401],
    ['an unknown token', () => '*:*.nobody-has-this', 401],
    ['a malformed token', () => 'ü', 401],
    ['a client token on an admin route', () => system.clientTokens.development, 403],
  ])('%s is refused on an admin route', async (_title, token, status) => {
    const headers: Record<string, string> = token() === 'ü' ? { authorization: 'Bearer' } : {};
    const answer = await system.call('GET', '/api/admin/feature-types', {
      token: token() === 'ü' ? null : token(),
      headers,
    });
    expect(answer).toMatchObject({
      status,
      body: { name: status === 401 ? 'AuthenticationRequired' : 'NoAccessError' },
    });
    expect(answer.body.id).toMatch(/./);
    expect(answer.body.message).toMatch(/./);
  });

  test.each([
    ['no token', () => null, 401],
    ['an admin token', () => system.adminToken, 403],
    ['a service account token', () => viewer.secret, 403],
  ])('%s is refused on a client route', async (_title, token, status) => {
    expect((await system.call('GET', '/api/client/features', { token: token() })).status).toBe(status);
  });

  test('are accepted by routes of their own audience, with and without Bearer', async () => {
    expect(
      (await system.call('GET', '/api/admin/feature-types', { token: `Bearer ${system.adminToken}` })).status,
    ).toBe(200);
    expect(
      (await system.call('GET', '/api/client/features', { token: `Bearer ${system.clientTokens.production}` })).status,
    ).toBe(200);
  });
});

describe('a service account', () => {
  test('is made with 201 and its location, and its token works', async () => {
    const made = await system.call('POST', '/api/admin/service-account', {
      body: { username: 'deployer', name: 'Deployer', rootRole: 2 },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { username: 'deployer', name: 'Deployer', rootRole: 2, tokens: [] },
    });
    expect(made.headers.get('location')).toContain(String(made.body.id));
    const types = await system.call('GET', '/api/admin/feature-types', { token: viewer.secret });
    expect(types).toMatchObject({ status: 200, body: { version: 1 } });
    expect(types.body.types.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['release', 'experiment', 'kill-switch']),
    );
  });

  test('with the Viewer role is refused a PATCH by a 403 that names the permission', async () => {
    await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'guarded' } });
    const refused = await system.call('PATCH', '/api/admin/projects/default/features/guarded', {
      token: viewer.secret,
      body: [{ op: 'replace', path: '/description', value: 'x' }],
    });
    expect(refused).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
    expect(refused.body.message).toContain('"UPDATE_FEATURE"');
    const switched = await system.call(
      'POST',
      '/api/admin/projects/default/features/guarded/environments/production/on',
      { token: viewer.secret },
    );
    expect(switched.body.message).toContain('"UPDATE_FEATURE_ENVIRONMENT"');
    expect(switched.body.message).toContain('"production"');
  });

  test('is listed without its token secrets, and with the time of their last use', async () => {
    await system.services.gateway.processAll();
    const listed = await system.call('GET', '/api/admin/service-account');
    expect(listed.text).not.toContain(viewer.secret);
    expect(listed.body.serviceAccounts.find(({ id }: { id: number }) => id === viewer.id).tokens).toMatchObject([
      { description: 'ci', seenAt: expect.stringMatching(/^20/) },
    ]);
  });

  test('loses its access when its token is deleted', async () => {
    const account = await system.call('POST', '/api/admin/service-account', {
      body: { username: 'short-lived', name: 'x', rootRole: 1 },
    });
    const token = await system.call('POST', `/api/admin/service-account/${account.body.id}/token`, {
      body: { description: 'once', expiresAt: '2999-01-01T00:00:00Z' },
    });
    expect((await system.call('GET', '/api/admin/addons', { token: token.body.secret })).status).toBe(200);
    expect(
      (await system.call('DELETE', `/api/admin/service-account/${account.body.id}/token/${token.body.id}`)).status,
    ).toBe(200);
    await expect
      .poll(async () => (await system.call('GET', '/api/admin/addons', { token: token.body.secret })).status, {
        timeout: 2_000,
      })
      .toBe(401);
  });
});

describe('bad input', () => {
  test.each([
    [
      'POST',
      '/api/admin/service-account',
      { username: 5, name: 'x', rootRole: 1 },
      400,
      'ValidationError',
      ['.username', '5'],
    ],
    [
      'POST',
      '/api/admin/service-account',
      { username: 'x', name: 'x', rootRole: 99 },
      400,
      'BadDataError',
      ['rootRole', '99'],
    ],
    [
      'POST',
      '/api/admin/service-account',
      { username: 'viewer', name: 'x', rootRole: 1 },
      409,
      'NameExistsError',
      ['viewer'],
    ],
    ['POST', '/api/admin/service-account', '{"username":', 400, 'ValidationError', ['JSON']],
    [
      'POST',
      '/api/admin/projects/default/features',
      { name: 'not/url/safe' },
      400,
      'ValidationError',
      ['.name', 'not/url/safe'],
    ],
    ['POST', '/api/admin/projects/default/features', { name: 'x'.repeat(101) }, 400, 'ValidationError', ['.name']],
    ['POST', '/api/admin/projects/nowhere/features', { name: 'x' }, 404, 'NotFoundError', ['nowhere']],
    [
      'POST',
      '/api/admin/projects/default/features',
      { name: 'typed', type: 'no-such-type' },
      400,
      'BadDataError',
      ['no-such-type'],
    ],
    ['PATCH', '/api/admin/projects/default/features/guarded', { op: 'add' }, 400, 'ValidationError', ['array']],
    [
      'PATCH',
      '/api/admin/projects/default/features/guarded',
      [{ op: 'replace', path: '/name', value: 'y' }],
      400,
      'BadDataError',
      ['/name'],
    ],
    [
      'PATCH',
      '/api/admin/projects/default/features/guarded',
      [{ op: 'add', path: '/__proto__/x', value: 'y' }],
      400,
      'BadDataError',
      ['__proto__'],
    ],
    ['PATCH', '/api/admin/projects/default/features/nobody', [], 404, 'NotFoundError', ['nobody']],
    ['POST', '/api/admin/events/search', { limit: 101 }, 400, 'ValidationError', ['.limit', '101']],
    ['POST', '/api/admin/events/search', { type: 'no-such-event' }, 400, 'ValidationError', ['.type', 'no-such-event']],
    [
      'POST',
      '/api/admin/addons',
      { provider: 'pigeon', enabled: true, parameters: {}, events: [] },
      400,
      'BadDataError',
      ['pigeon'],
    ],
    ['GET', '/api/admin/addons/12345/events', undefined, 404, 'NotFoundError', ['12345']],
    ['GET', '/api/admin/addons/abc/events', undefined, 404, 'NotFoundError', ['abc']],
    ['GET', '/api/admin/addons/1/events?limit=0', undefined, 400, 'BadDataError', ['.limit', '0']],
    ['POST', '/api/admin/signal-endpoints', { name: 'a b' }, 400, 'ValidationError', ['.name', 'a b']],
    ['GET', '/no/such/path', undefined, 404, 'NotFoundError', ['/no/such/path']],
    ['GET', '/api/admin/addons/%E0%A4%A', undefined, 400, 'ValidationError', ['path']],
    ['GET', '/api/admin/search/features?query=a%00b', undefined, 400, 'ValidationError', ['.query']],
    ['GET', '/api/admin/projects/a%00b/features/x', undefined, 400, 'ValidationError', ['projectId']],
    [
      'POST',
      '/api/admin/projects/default/features',
      { name: 'nul', description: 'a\u0000b' },
      400,
      'ValidationError',
      ['description'],
    ],
  ])('%s %s with %j is a %i %s that names it', async (method, path, body, status, name, words) => {
    const answer = await system.call(method, path, body === undefined ? {} : { body });
    expect(answer).toMatchObject({ status, body: { name } });
    for (const word of words) expect(answer.body.message + JSON.stringify(answer.body.details)).toContain(word);
    expect(answer.body.details).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: expect.any(String) })]),
    );
    expect(answer.body.id).toBe(answer.headers.get('x-request-id') ?? answer.body.id);
  });

  test('of another content type is a 415 that names the type sent and the accepted one', async () => {
    const answer = await system.call('POST', '/api/admin/service-account', {
      body: '<a/>',
      headers: { 'content-type': 'application/xml' },
    });
    expect(answer).toMatchObject({ status: 415, body: { name: 'ContentTypeerror' } });
    expect(answer.body.message).toContain('application/xml');
    expect(answer.body.message).toContain('application/json');
    const latin = await system.call('POST', '/api/admin/service-account', {
      body: '{}',
      headers: { 'content-type': 'application/json; charset=latin1' },
    });
    expect(latin).toMatchObject({ status: 415, body: { message: expect.stringMatching(/latin1.*application\/json/) } });
  });

  test('that is too large is a 413, and too deep a 400', async () => {
    const large = await system.call('POST', '/api/admin/events/search', { body: { query: 'x'.repeat(600_000) } });
    expect(large).toMatchObject({ status: 413, body: { name: 'ContentTooLarge' } });
    const deep = await system.call('POST', '/api/admin/events/search', {
      body: `${'['.repeat(5000)}${']'.repeat(5000)}`,
    });
    expect(deep).toMatchObject({ status: 400, body: { name: 'ValidationError' } });
  });
});

async function sendRaw(bytes: string): Promise<{ line: string; body: unknown }> {
  const { hostname, port } = new URL(system.url);
  const socket = connect(Number(port), hostname);
  socket.end(bytes);
  let text = '';
  for await (const part of socket) text += part;
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { line: head.split('\r\n')[0] ?? '', body: JSON.parse(body) };
}

test.each([
  ['no HTTP', 'hello\r\n\r\n', 'HTTP/1.1 400 Bad Request', 'ValidationError'],
  [
    'headers of 100 kB',
    `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
    'ContentTooLarge',
  ],
])('%s gets an error of the same shape', async (_title, bytes, line, name) => {
  const message = expect.stringMatching(/./);
  expect(await sendRaw(bytes)).toEqual({
    line,
    body: { id: expect.any(String), name, message, details: [{ message }] },
  });
});

test('the UI configuration has the version of the OpenAPI document and the URL of the system', async () => {
  const { body } = await system.call('GET', '/api/admin/ui-config', { token: viewer.secret });
  const document = await system.call('GET', '/docs/openapi.json', { token: null });
  expect(body).toMatchObject({ name: 'Yardarm', version: document.body.info.version, baseUriPath: '' });
  expect(URL.canParse(body.unleashUrl)).toBe(true);
});

test('pages of other origins may read the frontend API, as the UI configuration says, and not the client API', async () => {
  const config = await system.call('GET', '/api/admin/ui-config', { token: viewer.secret });
  expect(config.body.frontendApiOrigins).toEqual(['*']);
  const answer = await system.call('GET', '/api/client/features', {
    token: system.clientTokens.development,
    headers: { origin: 'https://elsewhere.example.com' },
  });
  expect(answer.status).toBe(200);
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

test('the routes are documented on a page', async () => {
  const { headers, text } = await system.call('GET', '/docs', { token: null });
  expect(headers.get('content-type')).toContain('text/html');
  expect(text).toContain('POST /api/signal-endpoint/{name}');
});

test('the OpenAPI document describes the routes', async () => {
  const { body } = await system.call('GET', '/docs/openapi.json', { token: null });
  expect(body.openapi).toBe('3.1.0');
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining([
      '/api/admin/addons/{id}/events',
      '/api/signal-endpoint/{name}',
      '/api/admin/projects/{projectId}/features/{featureName}',
      '/api/admin/service-account',
      '/api/client/features/{featureName}',
      '/api/admin/feature-types',
      '/api/admin/events/search',
    ]),
  );
});

test('two authorization headers are refused, even if one of them is valid', async () => {
  const { host, hostname, port } = new URL(system.url);
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      const headers = [
        `Host: ${host}`,
        `Authorization: ${system.adminToken}`,
        'Authorization: other',
        'Connection: close',
      ];
      socket.write(`GET /api/admin/feature-types HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    });
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('ValidationError');
});

test.each(['/api/admin/user-admin/%', '/api/admin/no-such-path/%', '/api/admin/roles/%'])(
  'a token that was pasted into %s is not repeated',
  async (path) => {
    const answer = await system.call('GET', path.replace('%', viewer.secret));
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('***');
    expect(answer.text).not.toContain(viewer.secret.slice(-20));
  },
);
