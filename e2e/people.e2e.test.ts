// People and service accounts: create, update, delete and list, and the information about the own user.
import { addPerson, addServiceAccount, eventually, longTest, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;

const users = '/api/admin/user-admin';
const serviceAccounts = '/api/admin/service-account';

/** The types of the log's events about this user or service account, oldest first. */
async function eventsAbout(id: number): Promise<string[]> {
  await system.processAll();
  const { body } = await system.call('POST', '/api/admin/events/search', { body: { limit: 100 } });
  return body.events
    .filter(({ data, preData }: { data: { id?: number } | null; preData: { id?: number } | null }) =>
      [data?.id, preData?.id].includes(id),
    )
    .filter(({ type }: { type: string }) => /^(user|service-account)-/.test(type))
    .map(({ type }: { type: string }) => type)
    .reverse();
}

beforeAll(async () => {
  system = await startSystem({ UNLEASH_URL: 'https://flags.example.com/' });
});

afterAll(() => system?.stop());

describe('a user', () => {
  test('is made with 201, its location and an invite link, changed, and deleted', async () => {
    const made = await system.call('POST', users, { body: { username: 'ann', email: 'ann@example.com', rootRole: 2 } });
    expect(made).toMatchObject({
      status: 201,
      body: { username: 'ann', email: 'ann@example.com', rootRole: 2, emailSent: false },
    });
    expect(made.body.inviteLink).toMatch(/^https:\/\/flags\.example\.com\/new-user\?token=reset_yd_\w+$/);
    for (const absent of ['name', 'mustChangePassword']) expect(made.body).not.toHaveProperty(absent);
    const path = `${users}/${made.body.id}`;
    expect(made.headers.get('location')).toBe(path);
    expect(made.headers.get('cache-control')).toBe('no-store');
    // Only the first answer has the link.
    expect((await system.call('GET', path)).body).toEqual({ ...made.body, inviteLink: '' });

    const updated = await system.call('PUT', path, { body: { name: 'Ann', rootRole: 'Viewer' } });
    expect(updated).toMatchObject({ status: 200, body: { name: 'Ann', email: 'ann@example.com', rootRole: 'Viewer' } });
    const overview = await system.call('GET', `${path}/permissions?project=default&environment=production`);
    const { id, name, username, email, imageUrl, accountType } = updated.body;
    const user = { id, name, username, email, imageUrl, accountType, rootRole: 3 };
    const body = { user, rootRole: { id: 3, name: 'Viewer' }, projectRoles: [] };
    expect(overview).toMatchObject({ status: 200, body });

    const deleted = await system.call('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    expect((await system.call('GET', path)).status).toBe(404);
    expect(await eventsAbout(made.body.id)).toEqual(['user-created', 'user-updated', 'user-deleted']);
  });

  test('is listed, found, counted, and assignable', async () => {
    const body = { username: 'grace', name: 'Grace', rootRole: 1, password: 'Wind & Weather 7' };
    const { body: grace } = await system.call('POST', users, { body });
    expect(grace.inviteLink).toBe('');
    const { id, username, name, imageUrl, accountType } = grace;
    const listed = await system.call('GET', users);
    expect(listed.body.users).toContainEqual(grace);
    expect(listed.body.rootRoles.map((role: { name: string }) => role.name)).toEqual(
      expect.arrayContaining(['Admin', 'Editor', 'Viewer']),
    );
    expect((await system.call('GET', `${users}/search?q=GRA`)).body).toEqual([
      { id, username, name, imageUrl, accountType },
    ]);
    expect((await system.call('GET', `${users}/search?q=g`)).body).toEqual([]);
    expect((await system.call('GET', `${users}/search`)).body).toEqual([]);
    const count = await system.call('GET', `${users}/admin-count`);
    expect(count.body).toEqual({ password: 2, noPassword: 0, service: 0 });
    const access = await system.call('GET', `${users}/access`);
    expect(access.body.users).toContainEqual({ id, username, name, imageUrl, accountType, rootRole: 1 });
    expect(access.body.groups).toEqual([]);
  });

  test.each([
    ['POST', '', { rootRole: 3 }, 400, 'BadDataError', ['username or email']],
    ['POST', '', { username: 'x' }, 400, 'ValidationError', ['.rootRole']],
    ['POST', '', { username: 'x', rootRole: 77 }, 400, 'BadDataError', ['.rootRole', '77']],
    ['POST', '', { username: 'x', rootRole: [] }, 400, 'ValidationError', ['.rootRole', '[]']],
    ['POST', '', { username: 'x', rootRole: 'Captain' }, 400, 'BadDataError', ['.rootRole', 'Captain']],
    ['POST', '', { username: 'ADMIN', rootRole: 3 }, 400, 'BadDataError', ['.username', 'ADMIN']],
    ['POST', '', { email: 'nowhere', rootRole: 3 }, 400, 'ValidationError', ['.email', 'nowhere']],
    ['POST', '', { username: 'x', rootRole: 3, password: 'short' }, 400, 'OwaspValidationError', ['10 characters']],
    ['PUT', '/999999', { name: 'x' }, 404, 'NotFoundError', ['999999']],
    ['PUT', '/abc', { name: 'x' }, 404, 'NotFoundError', ['abc']],
    ['DELETE', '/999999', undefined, 404, 'NotFoundError', ['999999']],
    ['GET', '/3000000000', undefined, 404, 'NotFoundError', ['3000000000']],
  ])('%s %s with %j is a %i %s that names it', async (method, path, body, status, name, words) => {
    const answer = await system.call(method, users + path, body === undefined ? {} : { body });
    expect(answer).toMatchObject({ status, body: { name } });
    for (const word of words) expect(answer.body.message).toContain(word);
    expect(answer.text).not.toContain('short');
  });
});

describe('a service account', () => {
  test('is changed with effect on its token, and deleted with its token', async () => {
    const robot = await addServiceAccount(system, 3);
    const path = `${serviceAccounts}/${robot.id}`;
    const flag = { method: 'POST', path: '/api/admin/addons' };
    const make = () => system.call(flag.method, flag.path, { token: robot.token, body: {} });
    expect((await make()).status).toBe(403);

    const updated = await system.call('PUT', path, { body: { name: 'Promoted', rootRole: 2, username: 'ignored' } });
    expect(updated).toMatchObject({ status: 200, body: { name: 'Promoted', rootRole: 2, username: robot.username } });
    expect(updated.body.tokens).toMatchObject([{ id: robot.tokenId, userId: robot.id }]);
    // The caller is allowed, and the empty body is refused.
    await eventually(async () => expect((await make()).status).toBe(400), 2_000);
    const overview = await system.call('GET', `${path}/permissions`);
    expect(overview).toMatchObject({ status: 200, body: { user: { id: robot.id, rootRole: 2 } } });

    const deleted = await system.call('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    await eventually(async () => expect((await make()).status).toBe(401), 2_000);
    expect((await system.call('DELETE', path)).status).toBe(404);
    expect((await system.call('PUT', path, { body: {} })).status).toBe(404);
    expect(await eventsAbout(robot.id)).toEqual([
      'service-account-created',
      'service-account-updated',
      'service-account-deleted',
    ]);
  });

  test('that is an admin does not delete itself', async () => {
    const robot = await addServiceAccount(system, 1);
    const refused = await system.call('DELETE', `${serviceAccounts}/${robot.id}`, { token: robot.token });
    expect(refused).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  });

  test.each([
    ['POST', { username: 'x', name: 'x' }, 400, 'ValidationError', '.rootRole'],
    ['POST', { username: 'admin', name: 'x', rootRole: 3 }, 409, 'NameExistsError', '"admin"'],
    ['POST', { username: 'x', name: 'x', rootRole: 5 }, 400, 'BadDataError', 'You sent 5.'],
    ['PUT', { rootRole: 5 }, 400, 'BadDataError', 'You sent 5.'],
    ['PUT', { rootRole: 'Admin' }, 400, 'ValidationError', 'You sent "Admin".'],
    ['PUT', { name: '' }, 400, 'ValidationError', '.name'],
  ])('%s with %j is a %i %s that names it', async (method, body, status, name, word) => {
    const { id } = await addServiceAccount(system, 3);
    const path = method === 'POST' ? serviceAccounts : `${serviceAccounts}/${id}`;
    const answer = await system.call(method, path, { body });
    expect(answer).toMatchObject({ status, body: { name } });
    expect(answer.body.message).toContain(word);
  });
});

describe('the own user', () => {
  test('has permissions and a profile: for an admin token', async () => {
    const me = await system.call('GET', '/api/admin/user');
    expect(me).toMatchObject({
      status: 200,
      body: { user: { id: -42, rootRole: 1 }, permissions: [{ permission: 'ADMIN' }], feedback: [], splash: {} },
    });
    const profile = await system.call('GET', '/api/admin/user/profile');
    expect(profile).toMatchObject({
      status: 200,
      body: {
        rootRole: { id: 1, name: 'Admin' },
        projects: ['default'],
        groups: [],
        subscriptions: [],
        features: [],
        canChangePassword: false,
      },
    });
    const roles = await system.call('GET', '/api/admin/user/roles');
    expect(roles).toMatchObject({ status: 200, body: { version: 1, roles: [{ id: 1, name: 'Admin' }] } });
  });

  test('has permissions and a profile: for a person with a session', async () => {
    const person = await addPerson(system, 3);
    const as = { token: null, headers: { cookie: person.cookie } };
    const me = await system.call('GET', '/api/admin/user', as);
    expect(me.body.user).toMatchObject({ id: person.id, username: person.username });
    expect(me.body.user).not.toHaveProperty('mustChangePassword');
    expect(me.body.permissions).toEqual([]);
    expect((await system.call('GET', '/api/admin/user/profile', as)).body).toMatchObject({
      rootRole: { id: 3 },
      projects: [],
      canChangePassword: true,
    });
    const owned = await system.call('GET', '/api/admin/user/roles?projectId=default', as);
    expect(owned.body).toMatchObject({ version: 1, roles: [{ id: 3, name: 'Viewer' }] });
  });

  test('is refused once deleted, by session and by personal token', async () => {
    const person = await addPerson(system, 1);
    const statuses = async () => [
      (await system.call('GET', users, { token: null, headers: { cookie: person.cookie } })).status,
      (await system.call('GET', users, { token: person.token })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const self = await system.call('DELETE', `${users}/${person.id}`, { token: person.token });
    expect(self).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect((await system.call('DELETE', `${users}/${person.id}`)).status).toBe(200);
    await eventually(async () => expect(await statuses()).toEqual([401, 401]), 2_000);
  });
});

longTest('five thousand users and two thousand service accounts with five tokens each are listed', async () => {
  const rows = (text: string) => system.database.rows(text);
  await rows(
    `insert into accounts.users (kind, username, name, root_role)
     select 'user', 'crew-' || n, repeat('x', 255), 3 from generate_series(1, 5000) n`,
  );
  await rows(
    `with made as (
       insert into accounts.users (kind, username, name, root_role)
       select 'service-account', 'robot-' || n, repeat('x', 255), 3 from generate_series(1, 2000) n returning id
     )
     insert into accounts.tokens (kind, name, selector, hash, user_id, expires_at)
     select 'personal', 'token ' || t, 'robot-' || id || '-' || t, 'hash', id, now() + interval '1 day'
     from made, generate_series(1, 5) t`,
  );
  const people = await system.call('GET', users);
  expect(people.body.users.length).toBeGreaterThan(5000);
  const robots = await system.call('GET', serviceAccounts);
  expect(robots.body.serviceAccounts.length).toBeGreaterThanOrEqual(2000);
  expect(robots.body.serviceAccounts.at(-1).tokens).toHaveLength(5);
});
