// What is taken away is felt on every gateway within two seconds, under load: tokens, sessions, accounts, roles, memberships.
import {
  addPerson,
  addRole,
  addServiceAccount,
  type CallOptions,
  giveProjectRole,
  startSystem,
  type TestSystem,
} from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let gateways: string[];
let isUnderLoad = true;
let load: Promise<unknown>;
let served = 0;

/** The promise. */
const felt = { withinMs: 2_000 };
const [admin, viewer, member] = [1, 3, 5];
const features = '/api/admin/projects/default/features';

beforeAll(async () => {
  // The accounts of this file log in from one address.
  system = await startSystem({ SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000' });
  gateways = [system.url, await system.addGateway()];
  load = Promise.all(gateways.map((url) => readAlways(url)));
});

afterAll(async () => {
  isUnderLoad = false;
  await load;
  await system?.stop();
});

/** Reads without a pause until the tests end, four at a time: with those of the other gateway they keep both cores busy. */
async function readAlways(url: string): Promise<void> {
  const reads = [
    { path: '/api/client/features', token: system.clientTokens.development },
    { path: '/api/admin/feature-types', token: system.adminToken },
  ];
  await Promise.all(
    Array.from({ length: 4 }, async (_, i) => {
      const { path, token } = reads[i % reads.length] as (typeof reads)[number];
      while (isUnderLoad) {
        if ((await system.call('GET', path, { url, token })).status !== 200) throw new Error('The load was refused.');
        served += 1;
      }
    }),
  );
}

/** Something that is let in now; what takes that away; and the refusal that follows. */
interface Case {
  probe: { method: string; path: string; options: CallOptions };
  isAllowed: number;
  refused: number;
  revoke(): Promise<{ status: number; text: string }>;
}

const byToken = (token: string, method: string, path: string, body?: unknown): Case['probe'] => ({
  ...{ method, path, options: { token, ...(body === undefined ? {} : { body }) } },
});
/** With an empty body: 400 for whoever may make flags, 403 for everybody else. */
const makesFlags = (token: string) => ({ probe: byToken(token, 'POST', features, {}), isAllowed: 400, refused: 403 });
const isAdmin = (token: string) => ({
  ...{ probe: byToken(token, 'GET', '/api/admin/service-account'), isAllowed: 200, refused: 403 },
});
const isSomebody = (token: string) => ({
  ...{ probe: byToken(token, 'GET', '/api/admin/addons'), isAllowed: 200, refused: 401 },
});

const cases: Record<string, () => Promise<Case>> = {
  'a token of a service account that is deleted': async () => {
    const robot = await addServiceAccount(system, viewer);
    const path = `/api/admin/service-account/${robot.id}/token/${robot.tokenId}`;
    return { ...isSomebody(robot.token), revoke: () => system.call('DELETE', path) };
  },
  'a personal access token that is deleted': async () => {
    const person = await addPerson(system, viewer);
    const options = { token: null, headers: { cookie: person.cookie } };
    const revoke = () => system.call('DELETE', `/api/admin/user/tokens/${person.tokenId}`, options);
    return { ...isSomebody(person.token), revoke };
  },
  'a client token that is deleted': async () => {
    const body = { type: 'client', tokenName: 'revoked', environment: 'development' };
    const { secret } = (await system.call('POST', '/api/admin/api-tokens', { body })).body;
    return {
      probe: byToken(secret, 'GET', '/api/client/features'),
      isAllowed: 200,
      refused: 401,
      revoke: () => system.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`),
    };
  },
  'a session that is ended': async () => {
    const person = await addPerson(system, viewer);
    const options = { token: null, headers: { cookie: person.cookie } };
    return {
      probe: { method: 'GET', path: '/api/admin/user', options },
      isAllowed: 200,
      refused: 401,
      revoke: () => system.call('POST', '/logout', options),
    };
  },
  'a session, by a new password': async () => {
    const person = await addPerson(system, viewer);
    return {
      probe: { method: 'GET', path: '/api/admin/user', options: { token: null, headers: { cookie: person.cookie } } },
      isAllowed: 200,
      refused: 401,
      revoke: () =>
        system.call('POST', `/api/admin/user-admin/${person.id}/change-password`, {
          body: { password: 'Another-Passw0rd!' },
        }),
    };
  },
  'a service account that is deleted': async () => {
    const robot = await addServiceAccount(system, admin);
    const revoke = () => system.call('DELETE', `/api/admin/service-account/${robot.id}`);
    return { ...isSomebody(robot.token), revoke };
  },
  'a person who is deleted': async () => {
    const person = await addPerson(system, admin);
    return {
      ...isSomebody(person.token),
      revoke: () => system.call('DELETE', `/api/admin/user-admin/${person.id}`),
    };
  },
  'the root role of a service account': async () => {
    const robot = await addServiceAccount(system, admin);
    const path = `/api/admin/service-account/${robot.id}`;
    return { ...isAdmin(robot.token), revoke: () => system.call('PUT', path, { body: { rootRole: viewer } }) };
  },
  'the root role of a person': async () => {
    const person = await addPerson(system, admin);
    const path = `/api/admin/user-admin/${person.id}`;
    return { ...isAdmin(person.token), revoke: () => system.call('PUT', path, { body: { rootRole: viewer } }) };
  },
  'a permission, from a role': async () => {
    const role = await addRole(system, 'root-custom', [{ name: 'CREATE_FEATURE' }]);
    const robot = await addServiceAccount(system, role);
    const body = { name: 'emptied', type: 'root-custom', permissions: [] };
    return { ...makesFlags(robot.token), revoke: () => system.call('PUT', `/api/admin/roles/${role}`, { body }) };
  },
  'a role in a project': async () => {
    const robot = await addServiceAccount(system, viewer);
    await giveProjectRole(system, 'default', member, { users: [robot.id] });
    const path = `/api/admin/projects/default/users/${robot.id}/roles`;
    return { ...makesFlags(robot.token), revoke: () => system.call('DELETE', path) };
  },
  'a membership of a group': async () => {
    const { token, group, name } = await memberOfGroup({ withRole: true });
    const body = { name, users: [] };
    return { ...makesFlags(token), revoke: () => system.call('PUT', `/api/admin/groups/${group}`, { body }) };
  },
  "a group's role in a project": async () => {
    const { token, group } = await memberOfGroup({ withRole: true });
    const path = `/api/admin/projects/default/groups/${group}/roles`;
    return { ...makesFlags(token), revoke: () => system.call('DELETE', path) };
  },
  'a group that is deleted': async () => {
    const { token, group } = await memberOfGroup({ withRole: true });
    return { ...makesFlags(token), revoke: () => system.call('DELETE', `/api/admin/groups/${group}`) };
  },
  "a group's root role": async () => {
    const { token, group, id, name } = await memberOfGroup({ rootRole: admin });
    const body = { name, rootRole: null, users: [{ user: { id } }] };
    return { ...isAdmin(token), revoke: () => system.call('PUT', `/api/admin/groups/${group}`, { body }) };
  },
};

test.each(Object.entries(cases))('%s is felt on every gateway', async (_title, arrange) => {
  const { probe, isAllowed, refused, revoke } = await arrange();
  const statusAt = async (url: string) =>
    (await system.call(probe.method, probe.path, { ...probe.options, url })).status;
  // Known to both gateways: what they remember is what has to be forgotten. What was given may itself still be on its way.
  for (const url of gateways) await expect.poll(() => statusAt(url), { timeout: felt.withinMs }).toBe(isAllowed);
  const taken = await revoke();
  expect(taken, taken.text).toMatchObject({ status: 200 });
  const end = Date.now() + felt.withinMs;
  for (const url of gateways) {
    await expect.poll(() => statusAt(url), { timeout: Math.max(1, end - Date.now()), interval: 20 }).toBe(refused);
  }
});

/** An open event stream and what it has sent. */
async function openStream(url: string, token: string): Promise<{ sent: () => string; over: Promise<number> }> {
  const response = await fetch(`${url}/api/admin/events/stream`, { headers: { authorization: token } });
  expect(response.status).toBe(200);
  let sent = '';
  const read = async () => {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) sent += text;
  };
  return { sent: () => sent, over: read().then(Date.now, Date.now) };
}

test('a deleted token ends the open event streams that it began, on every gateway', async () => {
  const robot = await addServiceAccount(system, viewer);
  const streams = await Promise.all(gateways.map((url) => openStream(url, robot.token)));
  await system.call('DELETE', `/api/admin/service-account/${robot.id}/token/${robot.tokenId}`);
  const deletedAt = Date.now();
  for (const { over } of streams) expect((await over) - deletedAt).toBeLessThan(felt.withinMs);
});

test('a root role that is taken away is felt by open event streams, on every gateway', async () => {
  const robot = await addServiceAccount(system, admin);
  const streams = await Promise.all(gateways.map((url) => openStream(url, robot.token)));
  const seen = (what: string) => expect.poll(() => streams.filter(({ sent }) => !sent().includes(what))).toEqual([]);
  const first = await addPerson(system, viewer);
  await seen(`"username":"${first.username}"`);

  const path = `/api/admin/service-account/${robot.id}`;
  expect((await system.call('PUT', path, { body: { rootRole: viewer } })).status).toBe(200);
  const end = Date.now() + felt.withinMs;
  for (const url of gateways) {
    const statusNow = async () =>
      (await system.call('GET', '/api/admin/service-account', { url, token: robot.token })).status;
    await expect.poll(statusNow, { timeout: Math.max(1, end - Date.now()), interval: 20 }).toBe(403);
  }
  const second = await addPerson(system, viewer);
  // What happens to flags is seen by everybody: the stream has gone over the person when it has come to the flag.
  expect((await system.call('POST', features, { body: { name: 'after-the-person' } })).status).toBe(200);
  await system.processAll();
  await seen('"featureName":"after-the-person"');
  for (const { sent } of streams) expect(sent()).not.toContain(second.username);
});

test('all that while both gateways were kept busy', () => {
  expect(served).toBeGreaterThan(1_000);
});

/** A person without a role of their own in a group that has one: in the project, or everywhere. */
async function memberOfGroup(given: { withRole?: boolean; rootRole?: number }) {
  const { id, token, username } = await addPerson(system, viewer);
  const name = `group of ${username}`;
  const made = await system.call('POST', '/api/admin/groups', {
    body: { name, rootRole: given.rootRole ?? null, users: [{ user: { id } }] },
  });
  expect(made, made.text).toMatchObject({ status: 201 });
  const group: number = made.body.id;
  if (given.withRole) await giveProjectRole(system, 'default', member, { groups: [group] });
  return { id, token, name, group };
}
