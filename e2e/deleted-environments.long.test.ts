// Access to an environment ends with it: its tokens read nothing any more. Neither they nor permissions of roles are
// valid for a later one of its name.
import {
  addRole,
  addServiceAccount,
  eventually,
  grantProjectRole,
  openEventStream,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let system: TestSystem;
let number = 0;
let environment: string;

const environments = '/api/admin/environments';
const ofProject = '/api/admin/projects/default/environments';
const flag = '/api/admin/projects/default/features/flag';

beforeAll(async () => {
  system = await startSystem();
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'flag' } });
});
afterAll(() => system?.stop());
beforeEach(() => {
  number += 1;
  environment = `qa-${number}`;
});

async function create(): Promise<void> {
  const body = { name: environment, type: 'test' };
  expect((await system.call('POST', environments, { body })).status).toBe(201);
  expect((await system.call('POST', ofProject, { body: { environment } })).status).toBe(200);
}

async function remove(): Promise<void> {
  expect((await system.call('DELETE', `${ofProject}/${environment}`)).status).toBe(200);
  expect((await system.call('DELETE', `${environments}/${environment}`)).status).toBe(200);
}

async function createToken(type: 'client' | 'frontend', more: object = {}): Promise<string> {
  const body = { type, tokenName: environment, environment, ...more };
  return (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret;
}

const read = (token: string, etag = '') =>
  system.call('GET', '/api/client/features', { token, headers: { 'if-none-match': etag } });

const openStream = async (token: string) => {
  const stream = await openEventStream(`${system.url}/api/client/streaming`, { authorization: token });
  await stream.waitFor(1);
  return stream;
};

const permission = () => ({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment });

/** A service account that may switch flags in the environment and nowhere else. */
async function createHolder(): Promise<{ token: string; role: number }> {
  const account = await addServiceAccount(system, 3);
  const role = await addRole(system, 'custom', [permission(), { ...permission(), environment: 'production' }]);
  await grantProjectRole(system, 'default', role, { users: [account.id] });
  return { token: account.token, role };
}

const switchOn = async (token: string, name = environment) =>
  (await system.call('POST', `${flag}/environments/${name}/on`, { token })).status;

/** What an answer shows of flags: its status and the names of all that it has. */
async function namesFor(token: string, method: string, path: string, body?: object): Promise<[number, string[]]> {
  const answer = await system.call(method, path, { token, ...(body && { body }) });
  return [answer.status, answer.text.match(/"flag"/g) ?? []];
}

test('a deleted environment leaves no access, also when it is made again', async () => {
  await create();
  const token = await createToken('client');
  const holder = await createHolder();
  await eventually(async () => expect(await switchOn(holder.token)).toBe(200));
  await system.processAll();
  const before = await read(token);
  const etag = before.headers.get('etag')!;
  expect([before.status, (await read(token, etag)).status]).toEqual([200, 304]);
  const stream = await openStream(token);

  await remove();
  await eventually(() => expect(stream.isEnded()).toBe(true));
  await eventually(async () => expect((await read(token)).body.features).toEqual([]));
  const empty = await read(token, etag);
  expect([empty.status, empty.body]).toMatchObject([200, { features: [] }]);
  await create();
  await system.processAll();
  expect((await read(token, etag)).text).toBe(empty.text);
  expect((await read(token, empty.headers.get('etag')!)).status).toBe(304);
  expect(await switchOn(holder.token)).toBe(403);
  expect(await switchOn(holder.token, 'production')).toBe(200);
  const { body: role } = await system.call('GET', `/api/admin/roles/${holder.role}`);
  expect(role.permissions.map((each: { environment: string }) => each.environment)).toEqual(['production']);

  expect((await read(await createToken('client'))).body.features).toMatchObject([{ name: 'flag', enabled: false }]);
});

test('every route of SDKs treats its tokens as of an environment without flags, until an admin deletes them', async () => {
  await create();
  const [client, frontend] = [await createToken('client'), await createToken('frontend')];
  const fallback = { name: 'default' };
  const added = await system.call('POST', `${flag}/environments/${environment}/strategies`, { body: fallback });
  expect(added.status).toBe(200);
  await system.call('POST', `${flag}/environments/${environment}/on`);
  await system.processAll();
  const evaluation = { context: { targetingKey: '7' } };
  const reads: [token: string, method: string, path: string, body?: object][] = [
    [client, 'GET', '/api/client/features'],
    [client, 'GET', '/api/client/features?project=default&namePrefix=f'],
    [client, 'GET', '/api/client/delta'],
    [frontend, 'GET', '/api/frontend?userId=7'],
    [frontend, 'POST', '/api/frontend', { context: { userId: '7' } }],
    [client, 'POST', '/ofrep/v1/evaluate/flags', evaluation],
    [frontend, 'POST', '/ofrep/v1/evaluate/flags', evaluation],
  ];
  for (const call of reads) expect([call.slice(1, 3), await namesFor(...call)]).toMatchObject([{}, [200, ['"flag"']]]);
  const { body } = await system.call('POST', '/ofrep/v1/evaluate/flags', { token: frontend, body: evaluation });
  const events = system.url + body.eventStreams[0].endpoint.requestUri;
  const asked = await openEventStream(events, {});
  const streams = [await openStream(client), asked];

  await remove();
  await create();
  await system.processAll();
  const fresh = await createToken('client');
  await system.call('POST', `${flag}/environments/${environment}/strategies`, { body: fallback });
  await system.call('POST', `${flag}/environments/${environment}/on`);
  await system.processAll();
  expect(await namesFor(fresh, 'GET', '/api/client/features')).toEqual([200, ['"flag"']]);
  await eventually(() => expect(streams.map((stream) => stream.isEnded())).toEqual([true, true]));
  for (const call of reads) expect([call.slice(1, 3), await namesFor(...call)]).toMatchObject([{}, [200, []]]);
  for (const [token, method, path] of [
    [client, 'GET', '/api/client/features/flag'],
    [client, 'POST', '/ofrep/v1/evaluate/flags/flag'],
    [frontend, 'POST', '/ofrep/v1/evaluate/flags/flag'],
  ] as const)
    expect((await system.call(method, path, { token, ...(method === 'POST' && { body: evaluation }) })).status).toBe(
      404,
    );

  const stream = await openStream(client);
  expect(stream.events[0]!.data.events).toEqual([{ type: 'hydration', eventId: 0, features: [], segments: [] }]);
  expect((await openEventStream(events, {})).status).toBe(200);
  const times = { start: new Date(Date.now() - 60_000), stop: new Date() };
  const bucket = { ...times, toggles: { flag: { yes: 5, no: 0, variants: {} } } };
  for (const [token, prefix] of [
    [client, '/api/client'],
    [frontend, '/api/frontend/client'],
  ] as const) {
    const registration = { appName: environment, instanceId: '1', started: new Date(), interval: 10, strategies: [] };
    expect((await system.call('POST', `${prefix}/register`, { token, body: registration })).status).toBeLessThan(300);
    const report = { appName: environment, instanceId: '1', bucket };
    expect((await system.call('POST', `${prefix}/metrics`, { token, body: report })).status).toBeLessThan(300);
  }
  await system.processAll();
  const usage = await system.call('GET', '/api/admin/client-metrics/features/flag');
  expect(usage.body.lastHourUsage).toEqual([]);
  expect((await system.call('GET', `/api/admin/metrics/applications/${environment}`)).status).toBe(404);
  const edge = await system.call('POST', '/edge/validate', {
    token: null,
    body: { tokens: [client, frontend, fresh] },
  });
  expect(edge.body.tokens.map(({ token }: { token: string }) => token)).toEqual([fresh]);

  for (const token of [client, frontend])
    expect((await system.call('DELETE', `/api/admin/api-tokens/${token}`)).status).toBe(200);
  await eventually(async () => expect((await read(client)).status).toBe(401));
  await eventually(() => expect(stream.isEnded()).toBe(true));
});

test('its tokens end at their expiry', async () => {
  await create();
  const expiresAt = new Date(Date.now() + 3_000).toISOString();
  const token = await createToken('client', { expiresAt });
  await remove();
  // On a busy machine it expires before the gateway knows of the deletion.
  await eventually(async () => {
    const { status, body } = await read(token);
    if (status !== 401) expect(body.features).toEqual([]);
  });
  await eventually(async () => expect((await read(token)).status).toBe(401));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
});

test('one that is made again has none from the start, while the event of the deletion is on its way', async () => {
  await create();
  const [token, holder] = [await createToken('client'), await createHolder()];
  // A busy gateway refuses reads of a new environment until it has it.
  await eventually(async () => expect((await read(token)).status).toBe(200));
  expect(await switchOn(holder.token)).toBe(200);
  await system.processAll();
  const stream = await openStream(token);

  // Consumers write to the inbox first, so accounts does not hear of the deletion before the end of the transaction.
  const owner = new pg.Client({ connectionString: system.database.ownerUrl });
  await owner.connect();
  await owner.query('begin; lock table accounts.inbox in exclusive mode');
  try {
    await remove();
    // The token is valid until accounts has heard of it.
    await eventually(async () => expect((await read(token)).body.features).toEqual([]));
    const delta = await system.call('GET', '/api/client/delta', { token });
    expect(delta.body.events).toMatchObject([{ type: 'hydration', features: [], segments: [] }]);
    expect((await system.call('GET', '/api/client/features/flag', { token })).status).toBe(404);
    await eventually(() =>
      expect(stream.events.at(-1)!.data.events).toMatchObject([{ type: 'hydration', features: [] }]),
    );
    const granting = createToken('frontend');
    await create();
    await granting;
    const { body } = await system.call('GET', '/api/admin/api-tokens');
    expect(body.tokens.map((each: { environment: string }) => each.environment)).not.toContain(environment);
    // The hints to the gateway are on their way for milliseconds.
    await eventually(async () => {
      await system.services.gateway.processAll();
      expect((await read(token)).body.features).toEqual([]);
    });
    await eventually(async () => expect(await switchOn(holder.token)).toBe(403));
    await eventually(() => expect(stream.isEnded()).toBe(true));
  } finally {
    await owner.end();
  }
  const fresh = await createToken('client');
  await system.processAll();
  expect([(await read(token)).body.features, (await read(fresh)).body.features]).toMatchObject([
    [],
    [{ name: 'flag' }],
  ]);
});
