// Bodies that somebody made up to occupy a service are refused before they are validated; ordinary large ones pass.
import { makeSdkToken, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const feature = '/api/admin/projects/default/features/checkout';
const production = `${feature}/environments/production`;
let system: TestSystem;
let tokens: Record<'admin' | 'client' | 'frontend' | 'signal', string>;

beforeAll(async () => {
  system = await startSystem({
    ...{ SIGNAL_PAYLOAD_LIMIT_BYTES: '900000', SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND: '1000' },
    ...{ UNLEASH_SEGMENT_VALUES_LIMIT: '30000' },
  });
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'checkout' } });
  const endpoints = '/api/admin/signal-endpoints';
  const { body: endpoint } = await system.call('POST', endpoints, { body: { name: 'alerts' } });
  const { body: made } = await system.call('POST', `${endpoints}/${endpoint.id}/tokens`, { body: { name: 'one' } });
  tokens = {
    ...{ admin: system.adminToken, client: system.clientTokens.development, signal: `Bearer ${made.token}` },
    frontend: await makeSdkToken(system, 'frontend', 'default'),
  };
  await system.processAll();
});
afterAll(() => system?.stop());

const objectOf = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, value]));
const listOf = (count: number, value: unknown) => Array.from({ length: count }, () => value);
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const playground = (properties: object) => ({ environment: 'development', context: { appName: 'shop', properties } });
const metrics = (toggles: object) => ({ appName: 'shop', bucket: { toggles } });
const constraint = (more: object) => ({ contextName: 'userId', operator: 'IN', ...more });
const addon = { provider: 'webhook', enabled: true, parameters: { url: 'http://127.0.0.1/' } };

const manyValues = (maximum: number) => `should have at most ${maximum} values`;
const manyProperties = (maximum: number) => `should have at most ${maximum} properties`;

type Sent = [title: string, token: keyof typeof tokens | null, method: string, path: string, body: unknown];

describe('a body is refused that has', () => {
  test.each<[...Sent, named: string]>([
    ['a deep login', null, 'POST', '/auth/simple/login', deep(249_000), 'deeper than 100 levels'],
    ['a login with a hundred levels', null, 'POST', '/auth/simple/login', deep(100), 'should be object'],
    ['a login with one more', null, 'POST', '/auth/simple/login', deep(101), 'deeper than 100 levels'],
    [
      ...([
        'wrong context fields',
        'admin',
        'POST',
        '/api/admin/playground',
        playground(objectOf(25_000, [])),
      ] as const),
      manyValues(20_000),
    ],
    [
      ...(['many context fields', 'admin', 'POST', '/api/admin/playground', playground(objectOf(1_000, 'a'))] as const),
      manyProperties(1_000),
    ],
    ['wrong variants', 'admin', 'PUT', `${production}/variants`, listOf(44_000, {}), '[0].name property is required'],
    [
      'wrong events',
      'admin',
      'POST',
      '/api/admin/addons',
      { ...addon, events: listOf(110_000, 1) },
      manyValues(20_000),
    ],
    ['some wrong events', 'admin', 'POST', '/api/admin/addons', { ...addon, events: listOf(9_000, 1) }, '.events[0]'],
    [
      ...(['wrong parameters', 'admin', 'POST', `${production}/strategies`] as const),
      ...([{ name: 'default', parameters: objectOf(8_000, null) }, manyProperties(7_000)] as const),
    ],
    [
      ...(['many networks', 'admin', 'POST', '/api/admin/constraints/validate'] as const),
      constraint({ operator: 'IN_CIDR', values: listOf(30_001, '10.0.0.0/8') }),
      'should have at most 30000 items',
    ],
    [
      ...(['wrong values', 'admin', 'POST', '/api/admin/constraints/validate'] as const),
      ...([constraint({ values: listOf(110_000, 1) }), '.values[0] property should be string'] as const),
    ],
    [
      ...(['too many flags', 'frontend', 'POST', '/api/frontend/client/metrics'] as const),
      ...([metrics(objectOf(31_000, 1)), manyProperties(30_000)] as const),
    ],
    [
      ...(['a deep report', 'client', 'POST', '/api/client/metrics'] as const),
      ...([`{"appName":"a","x":${deep(100_001)}}`, 'deeper than 100000 levels'] as const),
    ],
    [
      ...(['many fields', 'frontend', 'POST', '/ofrep/v1/evaluate/flags', { context: objectOf(20_000, 'a') }] as const),
      manyValues(20_000),
    ],
    [
      ...(['many fields for a flag', 'client', 'POST', '/ofrep/v1/evaluate/flags/checkout'] as const),
      ...([{ context: objectOf(1_000, 'a') }, manyProperties(1_000)] as const),
    ],
    [
      ...(['many properties', 'frontend', 'POST', '/api/frontend'] as const),
      ...([{ context: { properties: objectOf(1_000, 'a') } }, manyProperties(1_000)] as const),
    ],
    [
      ...(['many keys in a signal', 'signal', 'POST', '/api/signal-endpoint/alerts', objectOf(31_000, 1)] as const),
      manyProperties(30_000),
    ],
    [
      ...(['many numbers in a signal', 'signal', 'POST', '/api/signal-endpoint/alerts', listOf(100_000, 1)] as const),
      manyValues(100_000),
    ],
  ])('%s', async (_title, token, method, path, body, named) => {
    const answer = await system.call(method, path, { token: token && tokens[token], body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(named);
  });
});

describe('a body is accepted with', () => {
  test.each<[...Sent, status: number]>([
    ['a hundred fields of a context', 'admin', 'POST', '/api/admin/playground', playground(objectOf(100, 'a')), 200],
    [
      ...(['2 kB of values in fields', 'frontend', 'POST', '/api/frontend', { context: objectOf(200, 'a') }] as const),
      200,
    ],
    ['a context as OpenFeature sends it', 'client', 'POST', '/ofrep/v1/evaluate/flags', { context: { a: 'b' } }, 200],
    [
      ...(['a segment of 30,000 values', 'admin', 'POST', '/api/admin/segments'] as const),
      ...([{ name: 'many', constraints: [constraint({ values: listOf(30_000, '1234') })] }, 201] as const),
    ],
    [
      ...(['a report of 20,000 flags', 'client', 'POST', '/api/client/metrics'] as const),
      ...([metrics(objectOf(20_000, { yes: 974, no: 50, variants: { blue: 974, disabled: 0 } })), 202] as const),
    ],
    [
      ...(['a page with 5,000 flags', 'frontend', 'POST', '/api/frontend/client/metrics'] as const),
      ...([metrics(objectOf(5_000, { yes: 1, no: 0, variants: {} })), 200] as const),
    ],
    [
      ...(['800 alerts of 20 labels', 'signal', 'POST', '/api/signal-endpoint/alerts'] as const),
      ...([{ alerts: listOf(800, objectOf(20, 'a label of an alert')) }, 200] as const),
    ],
    [
      ...(['the most members of a group', 'admin', 'POST', '/api/admin/groups'] as const),
      ...([{ name: 'all', users: listOf(10_000, { user: { id: 1 } }) }, 201] as const),
    ],
    [
      ...(['the most legal values', 'admin', 'POST', '/api/admin/context'] as const),
      {
        name: 'country',
        legalValues: Array.from({ length: 5_000 }, (_, value) => ({ value: `v${value}`, description: 'One' })),
      },
      201,
    ],
  ])('%s', async (_title, token, method, path, body, status) => {
    const answer = await system.call(method, path, { token: token && tokens[token], body });
    expect([answer.status, status === answer.status ? '' : answer.text.slice(0, 500)]).toEqual([status, '']);
  });
});

test('a public token that makes up flags takes no counts of a backend', async () => {
  await system.processAll();
  const invented = (part: number) => Object.fromEntries(listOf(7_000, 0).map((_, i) => [`n${part}-${i}`, { yes: 1 }]));
  for (let part = 0; part < 6; part += 1) {
    const body = metrics(invented(part));
    expect((await system.call('POST', '/api/frontend/client/metrics', { token: tokens.frontend, body })).status).toBe(
      200,
    );
  }
  const body = metrics({ checkout: { yes: 3 } });
  expect((await system.call('POST', '/api/client/metrics', { token: tokens.client, body })).status).toBe(202);
  await system.processAll();
  const { body: usage } = await system.call('GET', '/api/admin/client-metrics/features/checkout');
  expect(usage.lastHourUsage).toMatchObject([{ environment: 'development', yes: 3 }]);
});
