// Revocations take effect on every gateway within two seconds, under load: tokens, sessions, accounts, roles,
// memberships.
import {
  addPerson,
  addRole,
  addServiceAccount,
  type CallOptions,
  eventually,
  grantProjectRole,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let gateways: string[];

/** The promised time until a revocation takes effect. */
const maxDelayMs = 2_000;
const [admin, viewer, member] = [1, 3, 5];
const features = '/api/admin/projects/default/features';

beforeAll(async () => {
  // The accounts of this file log in from one address.
  system = await startSystem({ SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000' });
  gateways = [system.url, await system.addGateway()];
});

afterAll(() => system?.stop());

/** Begins when each gateway has served this many reads of the load. */
const readsBefore = 20;

/** Runs `work` while both gateways are busy. What a test prepares is not part of it, and needs no load. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const served = gateways.map(() => 0);
  const load = Promise.all(
    gateways.map((url, index) =>
      keepReading(url, () => {
        served[index]! += 1;
        return isOver;
      }),
    ),
  );
  try {
    await Promise.race([load, expect.poll(() => Math.min(...served)).toBeGreaterThan(readsBefore)]);
    await work();
  } finally {
    isOver = true;
    await load;
  }
}

/** Reads without a pause until it is over, four at a time. The load on two gateways keeps two cores busy. */
async function keepReading(url: string, isOverAfterRead: () => boolean): Promise<void> {
  const reads = [
    { path: '/api/client/features', token: system.clientTokens.development },
    { path: '/api/admin/feature-types', token: system.adminToken },
  ];
  await Promise.all(
    Array.from({ length: 4 }, async (_, i) => {
      const { path, token } = reads[i % reads.length] as (typeof reads)[number];
      do {
        if ((await system.call('GET', path, { url, token })).status !== 200) throw new Error('The load was refused.');
      } while (!isOverAfterRead());
    }),
  );
}

/** A request that is allowed, its revocation, and the statuses before and after. */
interface Case {
  probe: { method: string; path: string; options: CallOptions };
  allowedStatus: number;
  refusedStatus: number;
  revoke(): Promise<{ status: number; text: string }>;
}

const byToken = (token: string, method: string, path: string, body?: unknown): Case['probe'] => ({
  ...{ method, path, options: { token, ...(body === undefined ? {} : { body }) } },
});
/** The empty body is a 400 with the permission to make flags, and a 403 without. */
const makesFlags = (token: string) => ({
  probe: byToken(token, 'POST', features, {}),
  allowedStatus: 400,
  refusedStatus: 403,
});
const isAdmin = (token: string) => ({
  ...{ probe: byToken(token, 'GET', '/api/admin/service-account'), allowedStatus: 200, refusedStatus: 403 },
});
const hasAccess = (token: string) => ({
  ...{ probe: byToken(token, 'GET', '/api/admin/addons'), allowedStatus: 200, refusedStatus: 401 },
});

const cases: Record<string, () => Promise<Case>> = {
  'a token of a service account that is deleted': async () => {
    const robot = await addServiceAccount(system, viewer);
    const path = `/api/admin/service-account/${robot.id}/token/${robot.tokenId}`;
    return { ...hasAccess(robot.token), revoke: () => system.call('DELETE', path) };
  },
  'a personal access token that is deleted': async () => {
    const person = await addPerson(system, viewer);
    const options = { token: null, headers: { cookie: person.cookie } };
    const revoke = () => system.call('DELETE', `/api/admin/user/tokens/${person.tokenId}`, options);
    return { ...hasAccess(person.token), revoke };
  },
  'a client token that is deleted': async () => {
    const body = { type: 'client', tokenName: 'revoked', environment: 'development' };
    const { secret } = (await system.call('POST', '/api/admin/api-tokens', { body })).body;
    return {
      probe: byToken(secret, 'GET', '/api/client/features'),
      allowedStatus: 200,
      refusedStatus: 401,
      revoke: () => system.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`),
    };
  },
  'a session that is ended': async () => {
    const person = await addPerson(system, viewer);
    const options = { token: null, headers: { cookie: person.cookie } };
    return {
      probe: { method: 'GET', path: '/api/admin/user', options },
      allowedStatus: 200,
      refusedStatus: 401,
      revoke: () => system.call('POST', '/logout', options),
    };
  },
  'a session, by a new password': async () => {
    const person = await addPerson(system, viewer);
    return {
      probe: { method: 'GET', path: '/api/admin/user', options: { token: null, headers: { cookie: person.cookie } } },
      allowedStatus: 200,
      refusedStatus: 401,
      revoke: () =>
        system.call('POST', `/api/admin/user-admin/${person.id}/change-password`, {
          body: { password: 'Another-Passw0rd!' },
        }),
    };
  },
  'a service account that is deleted': async () => {
    const robot = await addServiceAccount(system, admin);
    const revoke = () => system.call('DELETE', `/api/admin/service-account/${robot.id}`);
    return { ...hasAccess(robot.token), revoke };
  },
  'a person who is deleted': async () => {
    const person = await addPerson(system, admin);
    return {
      ...hasAccess(person.token),
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
    await grantProjectRole(system, 'default', member, { users: [robot.id] });
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

test.each(Object.entries(cases))('the revocation of %s takes effect on every gateway', async (_title, arrange) => {
  const { probe, allowedStatus, refusedStatus, revoke } = await arrange();
  const statusAt = async (url: string) =>
    (await system.call(probe.method, probe.path, { ...probe.options, url })).status;
  // Both gateways must have cached the permission before it is revoked. The grant itself may take a moment.
  for (const url of gateways) await expect.poll(() => statusAt(url)).toBe(allowedStatus);
  await underLoad(async () => {
    const revoked = await revoke();
    expect(revoked, revoked.text).toMatchObject({ status: 200 });
    const end = Date.now() + maxDelayMs;
    for (const url of gateways) await untilHolds(end, async () => expect(await statusAt(url)).toBe(refusedStatus));
  });
});

/** A request that is sent after `end` must find what `check` expects. Its own duration is that of a busy machine. */
const untilHolds = (end: number, check: () => Promise<void>) => eventually(check, end - Date.now());

/** Opens an event stream; `sent` returns its text so far. */
async function openStream(url: string, token: string): Promise<{ sent: () => string; isOver: () => boolean }> {
  const response = await fetch(`${url}/api/admin/events/stream`, { headers: { authorization: token } });
  expect(response.status).toBe(200);
  let sent = '';
  let isOver = false;
  const read = async () => {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) sent += text;
  };
  const end = () => {
    isOver = true;
  };
  void read().then(end, end);
  return { sent: () => sent, isOver: () => isOver };
}

test('the deletion of a token ends its open event streams on every gateway', async () => {
  const robot = await addServiceAccount(system, viewer);
  const streams = await Promise.all(gateways.map((url) => openStream(url, robot.token)));
  await underLoad(async () => {
    await system.call('DELETE', `/api/admin/service-account/${robot.id}/token/${robot.tokenId}`);
    const end = Date.now() + maxDelayMs;
    // A request that is sent after the promised time is answered after the streams have ended.
    await untilHolds(end, async () => {
      for (const url of gateways) await system.call('GET', '/health', { url });
      expect(streams.map(({ isOver }) => isOver())).toEqual([true, true]);
    });
  });
});

test('a changed root role affects open event streams on every gateway', async () => {
  const robot = await addServiceAccount(system, admin);
  const streams = await Promise.all(gateways.map((url) => openStream(url, robot.token)));
  const untilSent = (text: string) =>
    expect.poll(() => streams.filter(({ sent }) => !sent().includes(text))).toEqual([]);
  const first = await addPerson(system, viewer);
  await untilSent(`"username":"${first.username}"`);

  const path = `/api/admin/service-account/${robot.id}`;
  await underLoad(async () => {
    expect((await system.call('PUT', path, { body: { rootRole: viewer } })).status).toBe(200);
    const end = Date.now() + maxDelayMs;
    for (const url of gateways) {
      const statusNow = async () =>
        (await system.call('GET', '/api/admin/service-account', { url, token: robot.token })).status;
      await untilHolds(end, async () => expect(await statusNow()).toBe(403));
    }
  });
  const second = await addPerson(system, viewer);
  // All callers see events of flags. A stream that has sent the flag's event has skipped the person's.
  expect((await system.call('POST', features, { body: { name: 'after-the-person' } })).status).toBe(201);
  await system.processAll();
  await untilSent('"featureName":"after-the-person"');
  for (const { sent } of streams) expect(sent()).not.toContain(second.username);
});

async function memberOfGroup(roles: { withRole?: boolean; rootRole?: number }) {
  const { id, token, username } = await addPerson(system, viewer);
  const name = `group of ${username}`;
  const made = await system.call('POST', '/api/admin/groups', {
    body: { name, rootRole: roles.rootRole ?? null, users: [{ user: { id } }] },
  });
  expect(made, made.text).toMatchObject({ status: 201 });
  const group: number = made.body.id;
  if (roles.withRole) await grantProjectRole(system, 'default', member, { groups: [group] });
  return { id, token, name, group };
}
