// Tests roles over a real bus and Postgres. What a role permits is tested with `can` and the gateway.
import { readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, nextYear, race, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const viewer: Actor = { kind: 'user', id: 7, username: 'viewer', grants: [] };
const switchInProduction = { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' };

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

const create = (name: string, more: Partial<contracts.RoleDefinition> = {}) =>
  rig.ask(contracts.createRole, { name, ...more });

const createAccount = (username: string, rootRole: number) =>
  rig.ask(contracts.createServiceAccount, { username, name: username, rootRole });

it('lists the predefined roles, and none of them can be changed or deleted', async () => {
  const roles = (await rig.ask(contracts.listRoles, {})).roles;
  expect(roles.map(({ id, type, name }) => [id, type, name]).slice(0, 5)).toEqual([
    [1, 'root', 'Admin'],
    [2, 'root', 'Editor'],
    [3, 'root', 'Viewer'],
    [4, 'project', 'Owner'],
    [5, 'project', 'Member'],
  ]);
  for (const { id: roleId, name } of roles.slice(0, 5)) {
    const words = { code: 'bad-data', message: expect.stringContaining(`"${name}" is predefined`) };
    expect(await refusal(rig.ask(contracts.updateRole, { roleId, name: 'Mine' }))).toEqual(words);
    expect(await refusal(rig.ask(contracts.deleteRole, { roleId }))).toEqual(words);
  }
});

it('creates a role by names and by ids of permissions, shows it in full, and emits an event', async () => {
  const byId = contracts.listedPermission('UPDATE_FEATURE');
  const made = await create('Release manager', {
    description: 'Switches',
    permissions: [switchInProduction, switchInProduction, { id: byId.id }, { name: 'CREATE_FEATURE_STRATEGY' }],
  });
  expect(made).toEqual({
    id: expect.any(Number),
    type: 'custom',
    name: 'Release manager',
    description: 'Switches',
    project: null,
  });
  expect(made.id).toBeGreaterThanOrEqual(100);
  const read = await rig.ask(contracts.getRole, { roleId: made.id }, viewer);
  expect(read).toEqual({
    ...made,
    permissions: [
      contracts.listedPermission('CREATE_FEATURE_STRATEGY'),
      byId,
      contracts.listedPermission('UPDATE_FEATURE_ENVIRONMENT', 'production'),
    ],
  });
  const events = await rig.events('role-created');
  expect(events.at(-1)).toMatchObject({
    data: {
      id: made.id,
      name: 'Release manager',
      type: 'custom',
      permissions: expect.arrayContaining([switchInProduction]),
    },
    preData: null,
  });
});

it.each([
  [
    'ADMIN in a root role',
    { type: 'root-custom', permissions: [{ name: 'ADMIN' }] },
    '.permissions[0].name',
    '"ADMIN"',
  ],
  ['a root permission in a project role', { permissions: [{ name: 'CREATE_ADDON' }] }, '.permissions[0].name', 'ADDON'],
  ['an unknown name', { permissions: [switchInProduction, { name: 'FLY' }] }, '.permissions[1].name', '"FLY"'],
  ['an inherited property', { permissions: [{ name: 'toString' }] }, '.permissions[0].name', '"toString"'],
  ['an unknown id', { permissions: [{ id: 9999 }] }, '.permissions[0].id', '9999'],
  ['an id before the first', { permissions: [{ id: 0 }] }, '.permissions[0].id', '0'],
  [
    'an environment where there is none',
    { permissions: [{ name: 'CREATE_FEATURE', environment: 'production' }] },
    '.permissions[0].environment',
    '"production"',
  ],
  [
    'an unknown environment',
    { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'moon' }] },
    '.permissions[0].environment',
    '"moon"',
  ],
] as const)('refuses %s, naming property and value', async (_title, more, property, value) => {
  const definition = { name: 'Refused', description: '', ...more, permissions: [...more.permissions] };
  const refused = await refusal(rig.ask(contracts.createRole, definition));
  expect(refused.code).toBe('bad-data');
  expect(refused.message).toContain(`The ${property} property`);
  expect(refused.message).toContain(value);
  expect(await refusal(rig.ask(contracts.validateRole, definition))).toEqual(refused);
  expect(await rig.rows("select 1 from accounts.roles where name = 'Refused'")).toEqual([]);
});

it('are refused to callers without ADMIN', async () => {
  expect((await refusal(rig.ask(contracts.createRole, { name: 'Mine' }, viewer))).code).toBe('no-access');
  expect((await refusal(rig.ask(contracts.listRoles, {}, viewer))).code).toBe('no-access');
});

it('of the same name are created once by twenty requests at once', async () => {
  expect(await race(() => create('One of twenty'))).toEqual({ won: 1, codes: ['name-exists'] });
  expect(await refusal(rig.ask(contracts.validateRole, { name: 'One of twenty' }))).toEqual({
    code: 'name-exists',
    message: 'There is already a role called "One of twenty".',
  });
  expect(await rig.ask(contracts.validateRole, { name: 'None of twenty' })).toEqual({});
});

it('are updated with an event of before and after, and without one when nothing changes', async () => {
  const { id: roleId } = await create('Before', { permissions: [switchInProduction] });
  const hintsBefore = rig.hints.accessChanged.length;
  const same = { roleId, name: 'Before', permissions: [switchInProduction] };
  await rig.ask(contracts.updateRole, same);
  expect((await rig.events('role-updated')).filter(({ data }) => data?.id === roleId)).toEqual([]);

  const after = await rig.ask(contracts.updateRole, {
    roleId,
    name: 'After',
    permissions: [{ name: 'DELETE_FEATURE' }],
  });
  expect(after).toMatchObject({ id: roleId, name: 'After', type: 'custom' });
  expect((await rig.events('role-updated')).filter(({ data }) => data?.id === roleId)).toMatchObject([
    {
      data: { name: 'After', permissions: [{ name: 'DELETE_FEATURE' }] },
      preData: { name: 'Before', permissions: [switchInProduction] },
    },
  ]);
  await eventually(() => expect(rig.hints.accessChanged.slice(hintsBefore)).toEqual([null]));

  const wrongType = await refusal(rig.ask(contracts.updateRole, { ...same, type: 'root-custom' }));
  expect(wrongType).toMatchObject({ code: 'bad-data', message: expect.stringContaining('"root-custom"') });
  expect((await refusal(rig.ask(contracts.updateRole, { ...same, name: 'Admin' }))).code).toBe('name-exists');
  expect((await refusal(rig.ask(contracts.updateRole, { ...same, roleId: 3_000_000_000 }))).code).toBe('not-found');
});

it('keep what an update does not name, and lose their permissions by an empty list', async () => {
  const { id: roleId } = await create('Partial', { description: 'Mine', permissions: [switchInProduction] });
  const read = () => rig.ask(contracts.getRole, { roleId });
  expect(await rig.ask(contracts.updateRole, { roleId, name: 'Renamed' })).toMatchObject({ description: 'Mine' });
  expect(await read()).toMatchObject({ name: 'Renamed', description: 'Mine', permissions: [switchInProduction] });
  await rig.ask(contracts.updateRole, { roleId, name: 'Renamed', description: '' });
  expect(await read()).toMatchObject({ description: '', permissions: [switchInProduction] });
  await rig.ask(contracts.updateRole, { roleId, name: 'Renamed', permissions: [] });
  expect(await read()).toMatchObject({ name: 'Renamed', permissions: [] });
});

it('of an account are in the grants of its tokens and in the overview of its permissions', async () => {
  const role = await create('Operator', {
    type: 'root-custom',
    permissions: [{ name: 'CREATE_ADDON' }, switchInProduction],
  });
  const account = await createAccount('operator', role.id);
  const { secret } = await rig.ask(contracts.createServiceAccountToken, {
    serviceAccountId: account.id,
    description: 'ci',
    expiresAt: nextYear,
  });
  const { token } = await rig.ask(contracts.resolveToken, { selector: readToken(secret!)!.selector }, null);
  expect(token?.actor?.grants).toEqual(
    expect.arrayContaining([
      { permissions: ['CREATE_ADDON'] },
      { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'production' },
    ]),
  );
  const overviewAt = async (environment: string) => {
    const at = { userId: account.id, kind: 'service-account', project: 'default', environment } as const;
    const { user, overview, rootRole, projectRoles } = await rig.ask(contracts.getPermissionOverview, at);
    expect(rootRole).toMatchObject({ id: role.id, type: 'root-custom' });
    expect(projectRoles).toEqual([]);
    expect(user).toEqual({
      ...{ id: account.id, name: 'operator', username: 'operator', imageUrl: account.imageUrl },
      ...{ accountType: 'Service Account', rootRole: role.id },
    });
    expect(overview.groups).toEqual([]);
    const permissions = [...overview.root, ...overview.project, ...overview.environment];
    return permissions.filter(({ hasPermission }) => hasPermission).map(({ name }) => name);
  };
  expect(await overviewAt('production')).toEqual(['CREATE_ADDON', 'UPDATE_FEATURE_ENVIRONMENT']);
  expect(await overviewAt('development')).toEqual(['CREATE_ADDON']);
  const asPerson = rig.ask(contracts.getPermissionOverview, { userId: account.id, kind: 'user' });
  expect((await refusal(asPerson)).code).toBe('not-found');
});

it('cannot be deleted while in use, and can when only a deleted account has them', async () => {
  const role = await create('Kept', { type: 'root-custom' });
  const { id } = await createAccount('keeper', role.id);
  expect(await refusal(rig.ask(contracts.deleteRole, { roleId: role.id }))).toEqual({
    code: 'role-in-use',
    message: expect.stringContaining('"Kept" is in use'),
  });
  await rig.rows('update accounts.users set deleted_at = now() where id = $1', [id]);
  await rig.ask(contracts.deleteRole, { roleId: role.id });
  expect((await refusal(rig.ask(contracts.getRole, { roleId: role.id }))).code).toBe('not-found');
  expect((await rig.events('role-deleted')).at(-1)).toMatchObject({
    data: null,
    preData: { id: role.id, name: 'Kept' },
  });
  expect((await refusal(rig.ask(contracts.deleteRole, { roleId: role.id }))).code).toBe('not-found');
});

it('are either granted or deleted, never both, by concurrent requests', async () => {
  for (let round = 0; round < 5; round += 1) {
    const role = await create(`Raced ${round}`, { permissions: [switchInProduction] });
    const { id: groupId } = await rig.ask(contracts.createGroup, { name: `crew ${round}`, rootRole: null });
    const outcomes = await Promise.allSettled([
      rig.ask(contracts.setGroupProjectRoles, { projectId: 'default', groupId, roles: [role.id] }),
      rig.ask(contracts.deleteRole, { roleId: role.id }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const granted = await rig.rows('select 1 from accounts.project_group_roles where role_id = $1', [role.id]);
    const kept = await rig.rows('select 1 from accounts.roles where id = $1', [role.id]);
    expect(granted.length).toBe(kept.length);
    const [failed] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed?.reason.code).toBe(kept.length === 1 ? 'role-in-use' : 'bad-data');
  }
});

it('are in the overview of all access, with groups and roles in projects', async () => {
  const { id } = await createAccount('overseen', 2);
  const group = await rig.ask(contracts.createGroup, { name: 'Overseers', users: [{ user: { id } }] });
  await rig.ask(contracts.setUserProjectRoles, { projectId: 'default', userId: id, roles: [5] });
  await rig.ask(contracts.setGroupProjectRoles, { projectId: 'other', groupId: group.id, roles: [4] });
  const rows = (await rig.ask(contracts.getAccessOverview, {})).overview;
  expect(rows.find(({ userId }) => userId === id)).toEqual({
    userId: id,
    accountType: 'Service Account',
    name: 'overseen',
    username: 'overseen',
    email: null,
    createdAt: expect.any(String),
    seenAt: null,
    rootRole: 'Editor',
    groups: ['Overseers'],
    projectRoles: [
      { project: 'default', role: 'Member', group: null },
      { project: 'other', role: 'Owner', group: 'Overseers' },
    ],
  });
});
