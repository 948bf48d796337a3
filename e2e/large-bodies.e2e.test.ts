// Bodies that somebody made up to occupy a service are refused before they are validated; ordinary large ones pass.
import { longTest, makeSdkToken, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

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
const inContext = (properties: object) => ({ environment: 'development', context: { appName: 'shop', properties } });
const metrics = (toggles: object) => ({ appName: 'shop', bucket: { toggles } });
const constraint = (operator: string, values: unknown[]) => ({ contextName: 'userId', operator, values });
const addon = { provider: 'webhook', enabled: true, parameters: { url: 'http://127.0.0.1/' } };

const manyValues = (maximum: number) => `should have at most ${maximum} values`;
const manyProperties = (maximum: number) => `should have at most ${maximum} properties`;

interface Endpoint {
  token: keyof typeof tokens | null;
  path: string;
  method?: string;
}

const login: Endpoint = { token: null, path: '/auth/simple/login' };
const playground: Endpoint = { token: 'admin', path: '/api/admin/playground' };
const variants: Endpoint = { token: 'admin', path: `${production}/variants`, method: 'PUT' };
const addons: Endpoint = { token: 'admin', path: '/api/admin/addons' };
const strategies: Endpoint = { token: 'admin', path: `${production}/strategies` };
const constraints: Endpoint = { token: 'admin', path: '/api/admin/constraints/validate' };
const segments: Endpoint = { token: 'admin', path: '/api/admin/segments' };
const groups: Endpoint = { token: 'admin', path: '/api/admin/groups' };
const contextFields: Endpoint = { token: 'admin', path: '/api/admin/context' };
const clientMetrics: Endpoint = { token: 'client', path: '/api/client/metrics' };
const frontendMetrics: Endpoint = { token: 'frontend', path: '/api/frontend/client/metrics' };
const frontend: Endpoint = { token: 'frontend', path: '/api/frontend' };
const ofrep: Endpoint = { token: 'frontend', path: '/ofrep/v1/evaluate/flags' };
const ofrepFlag: Endpoint = { token: 'client', path: '/ofrep/v1/evaluate/flags/checkout' };
const signals: Endpoint = { token: 'signal', path: '/api/signal-endpoint/alerts' };

const send = ({ token, path, method = 'POST' }: Endpoint, body: unknown) =>
  system.call(method, path, { token: token && tokens[token], body });

test.each<[string, Endpoint, unknown, string]>([
  ['a deep login', login, deep(249_000), 'deeper than 100 levels'],
  ['a login of a hundred levels', login, deep(100), 'should be object'],
  ['a login of one more', login, deep(101), 'deeper than 100 levels'],
  ['wrong context fields', playground, inContext(objectOf(25_000, [])), manyValues(20_000)],
  ['too many context fields', playground, inContext(objectOf(1_000, 'a')), manyProperties(1_000)],
  ['wrong variants', variants, listOf(44_000, {}), '[0].name property is required'],
  ['too many events', addons, { ...addon, events: listOf(110_000, 1) }, manyValues(20_000)],
  ['wrong events', addons, { ...addon, events: listOf(900, 1) }, '.events[0] property should be string'],
  ['too many unknown events', addons, { ...addon, events: listOf(9_000, 'none') }, 'should have at most 1000 entries'],
  ['unknown events', addons, { ...addon, events: listOf(1_000, 'none') }, '.events[99] property should be an event'],
  ['wrong parameters', strategies, { name: 'default', parameters: objectOf(8_000, 1) }, manyProperties(7_000)],
  ['too many networks', constraints, constraint('IN_CIDR', listOf(30_001, '10.0.0.0/8')), 'at most 30000 items'],
  ['wrong values', constraints, constraint('IN', listOf(110_000, 1)), '.values[0] property should be string'],
  ['a report of a page with too much', frontendMetrics, metrics(objectOf(50_000, 1)), manyProperties(50_000)],
  ['a deep report', clientMetrics, `{"appName":"a","x":${deep(100_001)}}`, 'deeper than 100000 levels'],
  ['too many values of a context', ofrep, { context: objectOf(20_000, 'a') }, manyValues(20_000)],
  ['too many fields for a flag', ofrepFlag, { context: objectOf(1_000, 'a') }, manyProperties(1_000)],
  ['too many properties', frontend, { context: { properties: objectOf(1_000, 'a') } }, manyProperties(1_000)],
  ['too many keys in a signal', signals, objectOf(31_000, 1), manyProperties(30_000)],
  ['too many numbers in a signal', signals, listOf(100_000, 1), manyValues(100_000)],
])('refused with a sentence: %s', async (_title, endpoint, body, named) => {
  const answer = await send(endpoint, body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(named);
});

const flagCount = { yes: 974, no: 50, variants: { blue: 974, disabled: 0 } };
const manyLegalValues = Array.from({ length: 5_000 }, (_, index) => ({ value: `v${index}`, description: 'One' }));

test.each<[string, Endpoint, unknown, number]>([
  ['a hundred fields of a context', playground, inContext(objectOf(100, 'a')), 200],
  ['a context of 200 fields', frontend, { context: objectOf(200, 'a') }, 200],
  ['a context as OpenFeature sends it', ofrep, { context: { targetingKey: '7', region: 'eu' } }, 200],
  ['30,000 values of a segment', segments, { name: 'many', constraints: [constraint('IN', listOf(30_000, '7'))] }, 201],
  ['a report of 20,000 flags', clientMetrics, metrics(objectOf(20_000, flagCount)), 202],
  ['a report of a page with 8,000 flags', frontendMetrics, metrics(objectOf(8_000, flagCount)), 200],
  ['800 alerts of 20 labels', signals, { alerts: listOf(800, objectOf(20, 'a label of an alert')) }, 200],
  ['the most members of a group', groups, { name: 'all', users: listOf(10_000, { user: { id: 1 } }) }, 201],
  ['the most legal values', contextFields, { name: 'country', legalValues: manyLegalValues }, 201],
])('accepted: %s', async (_title, endpoint, body, status) => {
  const answer = await send(endpoint, body);
  expect([answer.status, answer.status === status ? '' : answer.text.slice(0, 500)]).toEqual([status, '']);
});

longTest('a public token that makes up flags takes no counts of a backend', async () => {
  await system.processAll();
  for (let part = 0; part < 6; part += 1) {
    const toggles = Object.fromEntries(Array.from({ length: 7_000 }, (_, index) => [`n${part}-${index}`, { yes: 1 }]));
    expect((await send(frontendMetrics, metrics(toggles))).status).toBe(200);
  }
  expect((await send(clientMetrics, metrics({ checkout: { yes: 3 } }))).status).toBe(202);
  await system.processAll();
  const { body: usage } = await system.call('GET', '/api/admin/client-metrics/features/checkout');
  expect(usage.lastHourUsage).toMatchObject([{ environment: 'development', yes: 3 }]);
});
