// Maintenance mode: what is refused, what goes on, and what waits. Its setting and that of the CORS origins are felt on
// every gateway within two seconds, and kept without accounts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadGatewayConfig } from '@yardarm/gateway/config';
import { startGateway } from '@yardarm/gateway/service';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { allRequests } from '@yardarm/shared/contracts/all';
import { createLogger } from '@yardarm/shared/log';
import {
  addServiceAccount,
  compileCache,
  eventually,
  grantProjectRole,
  longTest,
  type TestSystem,
} from '@yardarm/testing';
import { contextOf } from '@yardarm/testing/callers';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

/** The promised time until a setting takes effect. */
const maxDelayMs = 2_000;
const main = path.resolve(import.meta.dirname, '../scripts/yardarm.ts');
const flags = '/api/admin/projects/default/features';
/** Things that do not exist, one of each service that writes. */
const ofEachService = ['banners', 'segments', 'addons', 'signal-endpoints'].map((kind) => `/api/admin/${kind}/4711`);
const sdkOrigin = { origin: 'https://shop.example' };
let system: TestSystem;
let second: Awaited<ReturnType<typeof startOwnGateway>>;
let urls: string[];
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-maintenance-'));
  system = await startSystem({ SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND: '10' });
  second = await startOwnGateway(system.natsUrlOf('gateway'));
  urls = [system.url, second.url];
  await eventually(async () => {
    expect((await system.call('GET', '/ready', { url: second.url, token: null })).status).toBe(200);
  });
});
afterEach(async () => {
  await setMaintenance(false);
  await eventually(async () => {
    for (const url of urls) expect(await isOn(url)).toBe(false);
    for (const place of ofEachService)
      expect([place, (await system.call('DELETE', place)).status]).toEqual([place, 404]);
  }, maxDelayMs);
});
afterAll(async () => {
  await second?.stop();
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function setMaintenance(enabled: boolean): Promise<void> {
  const { status, text } = await system.call('POST', '/api/admin/maintenance', { body: { enabled } });
  expect([status, text]).toEqual([204, '']);
}

const isOn = async (url: string): Promise<boolean> =>
  (await system.call('GET', '/api/admin/maintenance', { url })).body.enabled;

async function created(place: string, body: object) {
  const answer = await system.call('POST', place, { body });
  if (answer.status > 201) throw new Error(`${place} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

const refusalOf = (answer: { status: number; body: { name: string } }) => [answer.status, answer.body?.name];
const refused = [503, 'MaintenanceModeError'];
let number = 0;
const createFlag = (url: string) => {
  number += 1;
  return system.call('POST', flags, { url, body: { name: `flag-${number}` } });
};

test('writes are refused on every gateway within two seconds, with a sentence and an id, and work again afterwards', async () => {
  await setMaintenance(true);
  const first = await createFlag(system.url);
  expect(refusalOf(first)).toEqual(refused);
  expect(first.body).toMatchObject({
    id: first.headers.get('x-request-id'),
    message: expect.stringMatching(/maintenance mode/),
  });
  await eventually(async () => {
    for (const url of urls) expect(refusalOf(await createFlag(url))).toEqual(refused);
  }, maxDelayMs);
  for (const url of urls) {
    const { body } = await system.call('GET', '/api/admin/ui-config', { url });
    expect(body.maintenanceMode).toBe(true);
  }
  await setMaintenance(false);
  await eventually(async () => {
    for (const url of urls) expect((await createFlag(url)).status).toBe(201);
  }, maxDelayMs);
});

test('every operation of administrators that writes is refused before its body is read, and no other is', async () => {
  const { paths } = (await system.call('GET', '/docs/openapi.json')).body;
  await setMaintenance(true);
  const goesOn: string[] = [];
  for (const [place, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      if (!place.startsWith('/api/admin') || method === 'get') continue;
      const url = place.replace('{projectId}', 'default').replaceAll(/\{\w+\}/g, '1');
      const answer = await system.call(method.toUpperCase(), url, { body: {} });
      if (answer.status !== 503) goesOn.push(operationId);
      else expect([operationId, ...refusalOf(answer)]).toEqual([operationId, ...refused]);
    }
  }
  expect(goesOn.sort()).toEqual(
    [
      // They change nothing that is stored.
      ...['uiObservability', 'disconnectAllStreams', 'testActions', 'testAddon'],
      ...['deprecatedSearchEvents', 'exportFeatures', 'getPlayground', 'getAdvancedPlayground'],
      ...['validateArchiveFeatures', 'validateConstraint', 'validateContextFieldName', 'validateEnvironmentName'],
      ...['validateContextFieldNameForProject', 'validateFeature', 'validateImport', 'validateProject', 'validateRole'],
      ...['validateSegment', 'validateTagType', 'validateUserPassword'],
      ...['changeMyPassword', 'toggleMaintenance'],
    ].sort(),
  );
});

test('reads, SDKs, their reports, logins, logouts and own passwords go on', async () => {
  await setMaintenance(true);
  const token = system.clientTokens.development;
  const app = { appName: 'shop', instanceId: 'one' };
  const bucket = { start: new Date().toISOString(), stop: new Date().toISOString(), toggles: {} };
  const sdk = [
    await system.call('GET', '/api/client/features', { token }),
    await system.call('POST', '/api/client/metrics', { token, body: { ...app, bucket } }),
    await system.call('POST', '/api/client/register', {
      token,
      body: { ...app, strategies: [], started: new Date().toISOString(), interval: 15_000 },
    }),
    await system.call('GET', '/api/admin/projects'),
  ];
  expect(sdk.map(({ status }) => status)).toEqual([200, 202, 202, 200]);
  const login = await system.call('POST', '/auth/simple/login', {
    token: null,
    body: { username: 'admin', password: system.adminPassword },
  });
  expect(login.status).toBe(200);
  const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
  const origin = new URL(system.url).origin;
  const password = `${system.adminPassword}Z9`;
  const changed = await system.call('POST', '/api/admin/user/change-password', {
    token: null,
    headers: { cookie, origin },
    body: { password, confirmPassword: password, oldPassword: system.adminPassword },
  });
  expect([changed.status, changed.text]).toEqual([200, '']);
  const logout = await system.call('GET', '/logout', {
    token: null,
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  expect(logout.status).toBeLessThan(400);
});

test('every service refuses every contract that writes, before it reads the input', async () => {
  const log = createLogger({ service: 'test', level: 'fatal' });
  const bus: Bus = await connectBus({ url: system.natsUrl, name: 'gateway', prefix: system.prefix, log });
  await setMaintenance(true);
  const codeOf = (contract: (typeof allRequests)[number]) =>
    bus.request(contract, {}, contextOf(null)).then(
      () => 'ok',
      ({ code }) => code,
    );
  await eventually(async () => {
    for (const contract of allRequests)
      if (contract.writes === true)
        expect([contract.name, await codeOf(contract)]).toEqual([contract.name, 'maintenance']);
  }, maxDelayMs);
  expect(new Set(allRequests.filter(({ writes }) => writes === true).map(({ service }) => service)).size).toBe(4);
  await bus.drain();
});

test('signals are stored, and their actions run once when it ends', async () => {
  const endpoint = await created('/api/admin/signal-endpoints', { name: 'alerts' });
  const { token } = await created(`/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  const account = await addServiceAccount(system, 3);
  await grantProjectRole(system, 'default', 5, { users: [account.id] });
  await created(flags, { name: 'switched' });
  const { id } = await created('/api/admin/projects/default/actions', {
    ...{ name: 'switch', actorId: account.id },
    match: { source: 'signal-endpoint', sourceId: endpoint.id, payload: {} },
    actions: [
      {
        ...{ action: 'TOGGLE_FEATURE_ON', sortOrder: 1 },
        executionParams: { project: 'default', environment: 'production', featureName: 'switched' },
      },
    ],
  });
  await setMaintenance(true);
  await eventually(async () => expect(await isOn(urls[1]!)).toBe(true), maxDelayMs);
  const sent = await system.call('POST', '/api/signal-endpoint/alerts', { token: `Bearer ${token}`, body: { a: 1 } });
  expect(sent.status).toBe(200);
  await system.processAll();
  const place = `/api/admin/signal-endpoints/${endpoint.id}/signals`;
  expect((await system.call('GET', place)).body.signalEndpointSignals).toHaveLength(1);
  const switchedOn = async () => {
    await system.processAll();
    const events = await system.call(
      'GET',
      '/api/admin/search/events?feature=IS:switched&type=IS:feature-environment-enabled',
    );
    return events.body.total;
  };
  expect(await switchedOn()).toBe(0);
  await setMaintenance(false);
  await eventually(async () => expect(await switchedOn()).toBe(1));
  const runs = await system.call('GET', `/api/admin/projects/default/actions/${id}/events`);
  expect(runs.body.actionSetEvents.map(({ state }: { state: string }) => state)).toEqual(['success']);
  expect(await switchedOn()).toBe(1);
});

longTest('flags become potentially stale when it ends, with one event', async () => {
  await created(flags, { name: 'old', type: 'experiment' });
  await setMaintenance(true);
  await eventually(async () => expect(await isOn(urls[1]!)).toBe(true), maxDelayMs);
  const owner = new pg.Client({ connectionString: system.database.ownerUrl });
  await owner.connect();
  await owner.query(`update flags.features set created_at = now() - interval '400 days' where name = 'old'`);
  await owner.end();
  const marks = async () => {
    await system.processAll();
    const events = await system.call(
      'GET',
      '/api/admin/search/events?feature=IS:old&type=IS:feature-potentially-stale-on',
    );
    return events.body.total;
  };
  expect(await marks()).toBe(0);
  await setMaintenance(false);
  await eventually(async () => expect(await marks()).toBe(1));
});

longTest('it is kept while accounts is away, over restarts, and ended by the command without a gateway', async () => {
  await setMaintenance(true);
  await eventually(async () => expect(await isOn(urls[1]!)).toBe(true), maxDelayMs);
  await system.stopService('accounts');
  await system.stopService('flags');
  expect(refusalOf(await createFlag(system.url))).toEqual(refused);
  await Promise.all([system.startService('accounts'), system.startService('flags')]);
  await eventually(async () => expect(refusalOf(await createFlag(system.url))).toEqual(refused));
  const run = async (word: string) => {
    const env = { DATABASE_URL: system.database.urlFor('accounts'), ...compileCache };
    const child = spawn(process.execPath, [main, 'maintenance', word], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const [code] = await once(child, 'close');
    return [code, output];
  };
  expect(await run('status')).toEqual([0, 'Maintenance mode is on.\n']);
  expect(await run('off')).toEqual([0, 'Maintenance mode is off.\n']);
  await eventually(async () => {
    for (const url of urls) expect((await createFlag(url)).status).toBe(201);
  }, maxDelayMs);
  expect(await run('over')).toEqual([2, expect.stringContaining('over is not on, off or status.')]);
});

/** A gateway with the copy in the folder. */
async function startOwnGateway(natsUrl: string) {
  const settings = { NATS_URL: natsUrl, YARDARM_PREFIX: system.prefix, PORT: '0', YARDARM_DATA_DIR: folder };
  const config = loadGatewayConfig(settings);
  const gateway = await startGateway(config, createLogger({ service: 'gateway', level: 'fatal' }), {
    intervals: { drainNoticeMs: 0 },
  });
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    processAll: () => gateway.processAll(),
    async stop() {
      await gateway.drain();
      await gateway.stop();
    },
  };
}

/** The origin that a page of shop.example is allowed, by a preflight. */
async function allowedOrigin(url: string, headers: Record<string, string> = sdkOrigin): Promise<string | null> {
  const preflight = { 'access-control-request-method': 'GET', ...headers };
  const answer = await system.call('OPTIONS', '/api/frontend', { url, token: null, headers: preflight });
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  return answer.headers.get('access-control-allow-origin');
}

const setCors = (frontendApiOrigins: string[], url = system.url) =>
  system.call('POST', '/api/admin/ui-config/cors', { url, body: { frontendApiOrigins } });

longTest(
  'CORS origins are felt on every gateway within two seconds, and kept over a restart without NATS',
  async () => {
    expect(await allowedOrigin(system.url)).toBe('*');
    expect((await setCors(['https://other.example', sdkOrigin.origin])).status).toBe(204);
    await eventually(async () => {
      for (const url of urls) expect(await allowedOrigin(url)).toBe(sdkOrigin.origin);
    }, maxDelayMs);
    for (const url of urls) {
      expect(await allowedOrigin(url, { origin: 'https://evil.example' })).toBeNull();
      const { body } = await system.call('GET', '/api/admin/ui-config', { url });
      expect(body.frontendApiOrigins).toEqual(['https://other.example', sdkOrigin.origin]);
    }
    // The third begins with the copy of the second, and never reaches NATS.
    await second.processAll();
    const third = await startOwnGateway('nats://127.0.0.1:1');
    try {
      expect(await allowedOrigin(third.url)).toBe(sdkOrigin.origin);
    } finally {
      await third.stop();
    }
    expect((await setCors(['https://other.example/path'])).status).toBe(400);
    expect((await setCors(['*', sdkOrigin.origin])).body.message).toContain('should have no other origin besides *');
    expect((await setCors(['*'])).status).toBe(204);
  },
);

longTest('a gateway whose variable is set uses it, and refuses to store other origins by its name', async () => {
  const url = await system.addGateway({}, { UNLEASH_FRONTEND_API_ORIGINS: 'https://fixed.example' });
  const answer = await setCors([sdkOrigin.origin], url);
  expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('UNLEASH_FRONTEND_API_ORIGINS')]);
  expect(await allowedOrigin(url, { origin: 'https://fixed.example' })).toBe('https://fixed.example');
  expect(await allowedOrigin(system.url)).toBe('*');
  // Also when it is set to the default.
  const another = await system.addGateway({}, { UNLEASH_FRONTEND_API_ORIGINS: '*' });
  expect((await setCors([sdkOrigin.origin], another)).status).toBe(409);
});

test('racing administrators at two gateways leave one of their lists, and an event of each', async () => {
  const lists = Array.from({ length: 10 }, (_, racer) => [`https://racer-${racer}.example`]);
  const answers = await Promise.all(lists.map((list, racer) => setCors(list, urls[racer % 2])));
  expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 204));
  await system.processAll();
  const { body } = await system.call(
    'GET',
    '/api/admin/search/events?type=IS_ANY_OF:setting-created,setting-updated&limit=20',
  );
  const stored = body.events.map(
    ({ data }: { data: { content: { frontendApiOrigins?: string[] } } }) => data.content.frontendApiOrigins?.[0],
  );
  expect(stored).toEqual(expect.arrayContaining(lists.flat()));
  const ofGateways = await Promise.all(
    urls.map(async (url) => (await system.call('GET', '/api/admin/ui-config', { url })).body.frontendApiOrigins),
  );
  expect(ofGateways).toContainEqual([stored[0]]);
  await setCors(['*']);
});
