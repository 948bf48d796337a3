// Roles: the effect of custom roles, groups, access to projects, and the lists of a console. Revocations are tested
// with one gateway here, and with several in revocation.e2e.test.ts.
import {
  addPerson,
  addProject,
  addRole,
  addServiceAccount,
  grantProjectRole,
  type TestServiceAccount,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  await addProject(system, 'elsewhere');
  for (const project of ['default', 'elsewhere'])
    await system.call('POST', `/api/admin/projects/${project}/features`, { body: { name: `${project}-flag` } });
});
afterAll(() => system?.stop());

async function switchOn(caller: { token: string }, project: string, environment: string): Promise<number> {
  const path = `/api/admin/projects/${project}/features/${project}-flag/environments/${environment}/on`;
  return (await system.call('POST', path, { token: caller.token })).status;
}

/** The gateway promises that changes of access take effect within two seconds. */
const soon = { timeout: 2_000, interval: 20 };

const switchInProduction = { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' };

test('a role with one permission in production allows switching only there, until it is revoked', async () => {
  const viewer = await addServiceAccount(system, 3);
  expect(await switchOn(viewer, 'default', 'production')).toBe(403);
  const role = await addRole(system, 'custom', [switchInProduction]);
  await grantProjectRole(system, 'default', role, { users: [viewer.id] });
  await expect.poll(() => switchOn(viewer, 'default', 'production'), soon).toBe(200);

  expect(await switchOn(viewer, 'default', 'development')).toBe(403);
  expect(await switchOn(viewer, 'elsewhere', 'production')).toBe(403);
  const patched = await system.call('PATCH', '/api/admin/projects/default/features/default-flag', {
    token: viewer.token,
    body: [{ op: 'replace', path: '/description', value: 'mine' }],
  });
  expect(patched).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(patched.body.message).toContain('"UPDATE_FEATURE"');

  const revoked = await system.call('DELETE', `/api/admin/projects/default/users/${viewer.id}/roles`);
  expect(revoked).toMatchObject({ status: 200, text: '' });
  await expect.poll(() => switchOn(viewer, 'default', 'production'), soon).toBe(403);
});

test('a role of a group applies to its members, until they leave or the role changes', async () => {
  const [leaver, stayer] = [await addServiceAccount(system, 3), await addServiceAccount(system, 3)];
  const role = await addRole(system, 'custom', [switchInProduction]);
  const users = (...members: TestServiceAccount[]) => members.map(({ id }) => ({ user: { id } }));
  const made = await system.call('POST', '/api/admin/groups', { body: { name: 'Crew', users: users(leaver, stayer) } });
  expect(made).toMatchObject({ status: 201, body: { name: 'Crew', userCount: 2 } });
  const path = `/api/admin/groups/${made.body.id}`;
  expect(made.headers.get('location')).toBe(path);
  const granted = await system.call('PUT', `/api/admin/projects/default/groups/${made.body.id}/roles`, {
    body: { roles: [role] },
  });
  expect(granted).toMatchObject({ status: 200, text: '' });
  for (const member of [leaver, stayer])
    await expect.poll(() => switchOn(member, 'default', 'production'), soon).toBe(200);

  expect((await system.call('PUT', path, { body: { name: 'Crew', users: users(stayer) } })).status).toBe(200);
  await expect.poll(() => switchOn(leaver, 'default', 'production'), soon).toBe(403);
  expect(await switchOn(stayer, 'default', 'production')).toBe(200);
  const group = await system.call('GET', path);
  expect(group.body).toMatchObject({
    name: 'Crew',
    userCount: 1,
    projects: ['default'],
    users: [{ user: { id: stayer.id } }],
  });
  expect((await system.call('GET', '/api/admin/groups')).body.groups).toContainEqual(group.body);

  const changed = await system.call('PUT', `/api/admin/roles/${role}`, {
    body: { name: 'Idle', permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }] },
  });
  expect(changed).toMatchObject({
    status: 200,
    body: { version: 1, roles: { id: role, name: 'Idle', type: 'custom' } },
  });
  await expect.poll(() => switchOn(stayer, 'default', 'production'), soon).toBe(403);
  expect(await switchOn(stayer, 'default', 'development')).toBe(200);
  expect(await system.call('DELETE', path)).toMatchObject({ status: 200, text: '' });
  await expect.poll(() => switchOn(stayer, 'default', 'development'), soon).toBe(403);
});

test('a role that is in use cannot be deleted, an unused one can', async () => {
  const role = await addRole(system, 'root-custom', [{ name: 'CREATE_ADDON' }]);
  const { id } = await addServiceAccount(system, role);
  expect(await system.call('DELETE', `/api/admin/roles/${role}`)).toMatchObject({
    status: 400,
    body: { name: 'RoleInUseError' },
  });
  expect((await system.call('DELETE', `/api/admin/service-account/${id}`)).status).toBe(200);
  expect(await system.call('DELETE', `/api/admin/roles/${role}`)).toMatchObject({ status: 200, text: '' });
  expect((await system.call('GET', `/api/admin/roles/${role}`)).status).toBe(404);
  expect((await system.call('DELETE', '/api/admin/roles/1')).body.name).toBe('BadDataError');
});

test('an owner of a project may grant access there, and a member may not', async () => {
  const [owner, member, newcomer] = [
    await addPerson(system, 3),
    await addPerson(system, 3),
    await addServiceAccount(system, 3),
  ];
  await grantProjectRole(system, 'elsewhere', 4, { users: [owner.id] });
  await grantProjectRole(system, 'elsewhere', 5, { users: [member.id] });
  const grant = (token: string, project: string, role: number) =>
    system.call('POST', `/api/admin/projects/${project}/role/${role}/access`, {
      token,
      body: { users: [{ id: newcomer.id }], groups: [] },
    });
  await expect.poll(async () => (await grant(owner.token, 'elsewhere', 5)).status, soon).toBe(200);
  expect((await grant(owner.token, 'default', 5)).status).toBe(403);
  expect((await grant(member.token, 'elsewhere', 5)).status).toBe(403);
  const access = await system.call('GET', '/api/admin/projects/elsewhere/access', { token: owner.token });
  expect(access.status).toBe(200);
  expect(access.body.users).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: owner.id, roles: [4], accountType: 'User' }),
      expect.objectContaining({ id: newcomer.id, roles: [5], accountType: 'Service Account' }),
    ]),
  );
  expect((await system.call('GET', '/api/admin/projects/nowhere/access')).status).toBe(404);
});

test('the access to a project is replaced as a whole, and lost access takes effect', async () => {
  const [loser, winner] = [await addServiceAccount(system, 3), await addServiceAccount(system, 3)];
  const role = await addRole(system, 'custom', [switchInProduction]);
  await grantProjectRole(system, 'default', role, { users: [loser.id] });
  await expect.poll(() => switchOn(loser, 'default', 'production'), soon).toBe(200);
  const path = '/api/admin/projects/default/access';
  const replaced = await system.call('PUT', path, { body: { roles: [{ id: role, users: [winner.id], groups: [] }] } });
  expect(replaced).toMatchObject({ status: 200, text: '' });
  await expect.poll(() => switchOn(winner, 'default', 'production'), soon).toBe(200);
  await expect.poll(() => switchOn(loser, 'default', 'production'), soon).toBe(403);
  const { users, groups } = (await system.call('GET', path)).body;
  expect([users, groups]).toMatchObject([[{ id: winner.id, roles: [role] }], []]);
  const refused = await system.call('PUT', path, { body: { roles: [{ id: 4, users: [999_999] }] } });
  expect(refused).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(refused.body.message).toContain('.roles[0].users[0]');
});

test('every permission is listed with an id for the creation of roles, and per environment where it applies', async () => {
  const viewer = await addServiceAccount(system, 3);
  const { status, body } = await system.call('GET', '/api/admin/permissions', { token: viewer.token });
  expect({ status, version: body.version }).toEqual({ status: 200, version: 2 });
  expect(body.permissions.environments.map(({ name }: { name: string }) => name)).toEqual([
    'development',
    'production',
  ]);
  const [{ permissions }] = body.permissions.environments;
  const listed = permissions.find(({ name }: { name: string }) => name === 'UPDATE_FEATURE_ENVIRONMENT');
  expect(listed).toMatchObject({ type: 'environment', environment: 'development', id: expect.any(Number) });
  const made = await system.call('POST', '/api/admin/roles', {
    body: { name: 'By id', permissions: [{ id: listed.id, environment: 'development' }] },
  });
  expect(made).toMatchObject({ status: 200, body: { version: 1, roles: { name: 'By id', type: 'custom' } } });
  expect((await system.call('GET', `/api/admin/roles/${made.body.roles.id}`)).body.permissions).toEqual([listed]);
  const conflict = await system.call('POST', '/api/admin/roles/validate', { body: { name: 'By id' } });
  expect(conflict).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('the overview of all access is served as JSON and as CSV without formulas', async () => {
  const body = { username: 'formula', name: '=1+1', rootRole: 2 };
  const { id } = (await system.call('POST', '/api/admin/service-account', { body })).body;
  await grantProjectRole(system, 'default', 5, { users: [id] });
  const path = '/api/admin/access/overview';
  const asJson = await system.call('GET', path);
  expect(asJson.body.overview.find(({ userId }: { userId: number }) => userId === id)).toMatchObject({
    name: '=1+1',
    rootRole: 'Editor',
    projectRoles: [{ project: 'default', role: 'Member', group: null }],
  });
  const asCsv = await system.call('GET', path, { headers: { accept: 'text/csv' } });
  expect(asCsv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(asCsv.text.split('\r\n')[0]).toMatch(/^userId,accountType,name,/);
  expect(asCsv.text).toContain(`\r\n${id},Service Account,'=1+1,formula,`);
  const both = await system.call('GET', path, { headers: { accept: 'application/json, text/csv;q=0.5' } });
  expect(both.headers.get('content-type')).toContain('application/json');
});
