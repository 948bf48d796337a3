// Access to an environment ends with it: neither tokens nor permissions of roles are valid for a later one of its name.
import {
  addRole,
  addServiceAccount,
  eventually,
  grantProjectRole,
  openEventStream,
  startSystem,
  type TestSystem,
} from '@yardarm/testing';
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

async function createToken(type: 'client' | 'frontend'): Promise<string> {
  const body = { type, tokenName: environment, environment };
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

test('a deleted environment leaves no token and no permission, also when it is made again', async () => {
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
  await eventually(async () => expect((await read(token)).status).toBe(401));
  expect((await read(token, etag)).status).toBe(401);
  await create();
  await system.processAll();
  expect((await read(token, etag)).status).toBe(401);
  expect(await switchOn(holder.token)).toBe(403);
  expect(await switchOn(holder.token, 'production')).toBe(200);
  const { body: role } = await system.call('GET', `/api/admin/roles/${holder.role}`);
  expect(role.permissions.map((each: { environment: string }) => each.environment)).toEqual(['production']);

  expect((await read(await createToken('client'))).body.features).toMatchObject([{ name: 'flag', enabled: false }]);
});

test('one that is made again has none from the start, while the event of the deletion is on its way', async () => {
  await create();
  const [token, holder] = [await createToken('client'), await createHolder()];
  expect((await read(token)).status).toBe(200);
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
    await eventually(async () => expect((await read(token)).status).toBe(401), 1_000);
    await eventually(async () => expect(await switchOn(holder.token)).toBe(403), 1_000);
    await eventually(() => expect(stream.isEnded()).toBe(true), 1_000);
  } finally {
    await owner.end();
  }
  const fresh = await createToken('client');
  await system.processAll();
  expect([(await read(token)).status, (await read(fresh)).status]).toEqual([401, 200]);
});
