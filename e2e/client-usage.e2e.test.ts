// What SDKs report: a real SDK in each of its modes, other servers, frontends, and bodies that no SDK sends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let frontendToken: string;
/** The SDKs write what they read into files. */
const backupPath = mkdtempSync(path.join(tmpdir(), 'yardarm-usage-'));

const features = '/api/admin/projects/default/features';

beforeAll(async () => {
  system = await startSystem({ CLIENT_METRICS_LIMIT_BYTES: '100000', REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE: '3' });
  for (const name of ['counted', 'live']) await system.call('POST', features, { body: { name } });
  for (const path of ['counted/environments/development', 'live/environments/production'])
    await system.call('POST', `${features}/${path}/on`);
  await system.processAll();
  const made = await system.call('POST', '/api/admin/api-tokens', {
    body: { type: 'frontend', tokenName: 'web', environment: 'development' },
  });
  frontendToken = made.body.secret;
});

afterAll(async () => {
  await system?.stop();
  rmSync(backupPath, { recursive: true, force: true });
});

interface Stored {
  environment: string;
  application: string;
  feature_name: string;
  yes: string;
  no: string;
  variants: Record<string, number>;
}

async function stored(application: string) {
  await system.processAll();
  const rows = await system.database.rows<Stored>(
    'select * from flags.feature_usage where application = $1 order by feature_name, environment',
    [application],
  );
  return rows.map(({ environment, feature_name, yes, no, variants }) => ({
    ...{ environment, feature: feature_name, yes: Number(yes), no: Number(no), variants },
  }));
}

const post = (path: string, body: unknown, token = system.clientTokens.development) =>
  system.call('POST', path, { token, body });
const bucket = (toggles: Record<string, unknown>) => ({
  ...{ start: new Date(Date.now() - 1_000).toISOString(), stop: new Date().toISOString(), toggles },
});

describe.each([
  ['that polls listings', 'polls', {}],
  ['that polls deltas', 'polls-deltas', { experimentalMode: { type: 'polling', format: 'delta' } }],
  ['that streams', 'streams', { experimentalMode: { type: 'streaming' } }],
] as const)('the real SDK %s with its default settings', (_title, appName, mode) => {
  test('registers, reports over three intervals without a warning, and every evaluation is stored', async () => {
    const heard: Record<'sent' | 'registered' | 'warn' | 'error', object[]> = {
      ...{ sent: [], registered: [], warn: [], error: [] },
    };
    const sdk = new Unleash({
      ...{ url: `${system.url}/api/`, appName, metricsInterval: 100, backupPath, ...mode },
      customHeaders: { Authorization: system.clientTokens.development },
    });
    try {
      for (const [name, list] of Object.entries(heard)) sdk.on(name, (thing: object) => list.push(thing));
      await new Promise((resolve) => sdk.once('synchronized', resolve));
      sdk.impactMetrics.defineCounter('orders', 'Orders of the shop');
      sdk.impactMetrics.incrementCounter('orders');
      let evaluations = 0;
      await eventually(async () => {
        sdk.isEnabled('counted');
        sdk.isEnabled('live');
        evaluations += 1;
        expect(heard.sent.length).toBeGreaterThanOrEqual(3);
      });
      await eventually(async () => {
        expect(await stored(appName)).toEqual([
          { environment: 'development', feature: 'counted', yes: evaluations, no: 0, variants: {} },
          { environment: 'development', feature: 'live', yes: 0, no: evaluations, variants: {} },
        ]);
      });
      expect(heard).toMatchObject({ registered: [{ appName }], warn: [], error: [] });
      expect(heard.sent[0]).toMatchObject({ impactMetrics: [{ name: 'orders' }] });
    } finally {
      sdk.destroy();
    }
    const eventsOf = async (type: string) =>
      (await system.call('POST', '/api/admin/events/search', { body: { type } })).body.events.filter(
        ({ data }: { data: { appName: string } }) => data.appName === appName,
      );
    expect(await eventsOf('client-register')).toMatchObject([
      { environment: 'development', data: { sdkVersion: expect.stringMatching(/^unleash-node-sdk:/) } },
    ]);
    expect(await eventsOf('application-created')).toMatchObject([{ createdBy: 'yardarm-system' }]);
  });
});

test('a report alone moves a flag from initial to live', async () => {
  const stage = async () => (await system.call('GET', `${features}/live`)).body.lifecycle.stage;
  await system.database.rows("delete from flags.feature_lifecycle where feature_name = 'live' and stage <> 'initial'");
  expect(await stage()).toBe('initial');
  const sent = await post(
    '/api/client/metrics',
    { appName: 'till', environment: 'development', bucket: bucket({ live: { yes: 1, no: 0 } }) },
    system.clientTokens.production,
  );
  expect(sent).toMatchObject({ status: 202, text: '' });
  expect(await stored('till')).toMatchObject([{ environment: 'production', feature: 'live', yes: 1 }]);
  expect(await stage()).toBe('live');
});

test('another server reports what it received, in the environment of its token', async () => {
  const sent = await post('/api/client/metrics/bulk', {
    applications: [{ appName: 'behind-edge', instanceId: 'one', environment: 'production', connectVia: [] }],
    metrics: [
      {
        ...{ featureName: 'counted', appName: 'behind-edge', environment: 'production', yes: 4, no: 1 },
        ...{ timestamp: new Date().toISOString(), variants: { blue: 4 } },
      },
    ],
    impactMetrics: [{ name: 'x' }],
  });
  expect(sent).toMatchObject({ status: 202, text: '' });
  expect(await stored('behind-edge')).toEqual([
    { environment: 'development', feature: 'counted', yes: 4, no: 1, variants: { blue: 4 } },
  ]);
  expect((await post('/api/client/metrics/edge', { identifier: 'one', appName: 'edge' })).status).toBe(202);
});

test('frontends report and register with 200, and only with a frontend token', async () => {
  const metrics = { appName: 'web', instanceId: 'browser', bucket: bucket({ counted: { yes: 2 } }) };
  expect(await post('/api/frontend/client/metrics', metrics, frontendToken)).toMatchObject({ status: 200, text: '' });
  expect((await post('/api/frontend/client/metrics', metrics)).status).toBe(403);
  expect((await post('/api/client/metrics', metrics, frontendToken)).status).toBe(403);
  expect(await stored('web')).toMatchObject([{ feature: 'counted', yes: 2, no: 0 }]);
});

test('an address may register only so often in a minute', async () => {
  const register = () => post('/api/frontend/client/register', { appName: 'web' }, frontendToken);
  // A minute may end between two of them.
  const answers = await Promise.all(Array.from({ length: 8 }, register));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3);
  const refused = answers.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('administrators see usage, applications and instances over HTTP', async () => {
  await post('/api/client/register', {
    appName: 'seen',
    instanceId: 'i',
    sdkVersion: 'sdk:1.0.0',
    strategies: ['odd'],
  });
  await post('/api/client/metrics', {
    ...{ appName: 'seen', instanceId: 'i', bucket: bucket({ counted: { yes: 1, no: 2 }, missing: { yes: 1 } }) },
  });
  await system.processAll();
  const read = async (path: string) => (await system.call('GET', `/api/admin/${path}`)).body;
  const row = { environment: 'development', appName: 'seen', yes: 1, no: 2, variants: {} };
  const raw = await read('client-metrics/features/counted/raw?hoursBack=1');
  expect(raw).toMatchObject({ version: 1, maturity: 'stable' });
  expect(raw.data).toContainEqual({ ...row, featureName: 'counted', timestamp: expect.any(String) });
  const summary = await read('client-metrics/features/counted');
  expect(summary).toMatchObject({ version: 1, maturity: 'stable', featureName: 'counted' });
  expect(summary.seenApplications).toContain('seen');
  const usage = [{ project: 'default', environments: ['development'] }];
  const application = { appName: 'seen', sdkVersion: 'sdk:1.0.0', strategies: ['odd'], usage };
  expect(await read('metrics/applications?query=see&limit=1')).toEqual({ total: 1, applications: [application] });
  const described = await system.call('POST', '/api/admin/metrics/applications/seen', { body: { color: 'red' } });
  expect(described).toMatchObject({ status: 202, text: '' });
  expect(await read('metrics/applications/seen')).toMatchObject({
    ...{ ...application, color: 'red', strategies: [{ name: 'odd', notFound: true }] },
    ...{ instances: [{ instanceId: 'i' }], seenToggles: [{ name: 'counted' }] },
  });
  expect(await read('metrics/applications/seen/overview')).toMatchObject({
    ...{ projects: ['default'], featureCount: 1, issues: { missingStrategies: ['odd'] } },
    environments: [{ name: 'development', instanceCount: 1, issues: { missingFeatures: ['missing'] } }],
  });
  expect(await read('metrics/instances/seen/environment/development')).toMatchObject({
    instances: [{ instanceId: 'i', sdkVersion: 'sdk:1.0.0', clientIp: '127.0.0.1' }],
  });
  const unknown = (await read('metrics/unknown-flags')).unknownFlags;
  expect(unknown).toContainEqual(
    expect.objectContaining({ name: 'missing', reports: [expect.objectContaining({ appName: 'seen' })] }),
  );
  const ofProject = await read('projects/default/applications?query=seen');
  expect(ofProject).toMatchObject({ total: 1, applications: [{ name: 'seen', instances: ['i'] }] });
  expect(await read('metrics/sdks/outdated')).toEqual({ sdks: [] });
  const wrong = await system.call('GET', '/api/admin/client-metrics/features/counted/raw?hoursBack=0');
  expect(wrong).toMatchObject({ status: 400, body: { message: expect.stringContaining('hoursBack') } });
  expect((await system.call('DELETE', '/api/admin/metrics/applications/seen')).status).toBe(200);
  expect((await system.call('GET', '/api/admin/metrics/applications/seen')).status).toBe(404);
});

describe('what no SDK sends', () => {
  const nested = (depth: number) => `{"appName":"odd","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const metrics = '/api/client/metrics';

  test.each([
    ['a body that is too large', metrics, `{"appName":"${'x'.repeat(200_000)}"}`, 413],
    ['a field nested a thousand deep', metrics, nested(1_000), 202],
    ['a field nested as deep as the limit of size allows', metrics, nested(45_000), 202],
    ['an application nested as deep', metrics, `{"appName":${'['.repeat(45_000)}${']'.repeat(45_000)}}`, 400],
    ['a list', metrics, '[]', 400],
    ['no JSON', metrics, '{"appName":', 400],
    ['a number that is none', metrics, '{"appName":"odd","x":1e400}', 202],
    ['a registration with such numbers', '/api/client/register', '{"appName":"odd","interval":1e400}', 202],
    ['a report without an application', metrics, '{"bucket":{"toggles":{}}}', 400],
    ['a registration with a null as application', '/api/client/register', '{"appName":null}', 400],
    ['other entries of a report', `${metrics}/bulk`, '{"metrics":[1,null,{"appName":"odd"}],"applications":[[]]}', 202],
    [
      'absurd times',
      metrics,
      '{"appName":"odd","bucket":{"start":-1,"stop":"9999999-01-01","toggles":{"a":{"yes":1}}}}',
      202,
    ],
    [
      'names of Object',
      metrics,
      '{"appName":"odd","bucket":{"toggles":{"__proto__":{"yes":1},"constructor":{"yes":1}}}}',
      202,
    ],
  ])('is answered and leaves the gateway working: %s', async (_, path, body, status) => {
    const answer = await system.call('POST', path, {
      ...{ token: system.clientTokens.development, body, headers: { 'content-type': 'application/json' } },
    });
    expect(answer.status).toBe(status);
    if (status >= 400) expect(answer.body).toMatchObject({ id: expect.any(String), message: expect.any(String) });
    expect((await post(metrics, { appName: 'odd' })).status).toBe(202);
  });

  test('the valid counts beside what cannot be serialized are stored', async () => {
    const deep = `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`;
    const toggles = `{"counted":{"yes":2,"variants":{"blue":1,"red":1e400,"green":${deep}}},"live":{"yes":-1e400}}`;
    const body = `{"appName":"spotty","x":${deep},"bucket":{"start":1e400,"toggles":${toggles}}}`;
    const headers = { 'content-type': 'application/json' };
    const sent = await system.call('POST', metrics, { token: system.clientTokens.development, body, headers });
    expect(sent.status).toBe(202);
    const expected = { environment: 'development', feature: 'counted', yes: 2, no: 0, variants: { blue: 1 } };
    await eventually(async () => expect(await stored('spotty')).toEqual([expected]));
  });

  test('another content type is a 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await system.call('POST', metrics, { token: system.clientTokens.development, body: 'x', headers });
    expect(answer.status).toBe(415);
  });

  test('names of flags that do not exist are bounded, and flags that exist still count', async () => {
    for (let part = 0; part < 20; part += 1) {
      const invented = Array.from({ length: 1_500 }, (_, index) => [`invented-${part}-${index}`, { yes: 1, no: 0 }]);
      const toggles = { ...Object.fromEntries(invented), counted: { yes: 1, no: 0 } };
      expect((await post(metrics, { appName: 'inventive', bucket: bucket(toggles) })).status).toBe(202);
    }
    expect(await stored('inventive')).toMatchObject([{ feature: 'counted', yes: 20 }]);
    const [unknown] = await system.database.rows<{ count: string }>('select count(*) from flags.unknown_flags');
    expect(Number(unknown?.count)).toBeLessThanOrEqual(1_000);
  });
});
