// Tests grants of access over a real bus and Postgres. Holders are service accounts, which share a table with people.
// The rig knows the projects `default` and `other`.
import { readToken } from '@yardarm/shared/auth';
import type { Actor, Grant } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AccountsRig, race, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const projectId = 'default';
const owner = 4;
const member = 5;

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

let accounts = 0;
async function createAccount(): Promise<number> {
  accounts += 1;
  const username = `holder-${accounts}`;
  return (await rig.ask(contracts.createServiceAccount, { username, name: username, rootRole: 3 })).id;
}

async function createGroup(...ids: number[]): Promise<number> {
  accounts += 1;
  const users = ids.map((id) => ({ user: { id } }));
  return (await rig.ask(contracts.createGroup, { name: `group-${accounts}`, users })).id;
}

async function createRole(...permissions: contracts.RoleDefinition['permissions']): Promise<number> {
  accounts += 1;
  return (await rig.ask(contracts.createRole, { name: `role-${accounts}`, permissions })).id;
}

const access = (project = projectId) => rig.ask(contracts.getProjectAccess, { projectId: project });

const rolesOf = async (userId: number, project = projectId) =>
  (await access(project)).users.find(({ id }) => id === userId)?.roles ?? [];

const actorWith = (...grants: Grant[]): Actor => ({ kind: 'user', id: 8, username: 'granter', grants });

/** The access events since the test began. */
let before: number;
const events = async () => {
  const kinds = ['user', 'group'].flatMap((kind) => [`${kind}-roles-updated`, `${kind}-roles-deleted`]);
  const all = await rig.events(...['added', ...kinds].map((kind) => `project-access-${kind}`));
  return all.slice(before).map(({ type, project, data, preData }) => ({ type, project, data, preData }));
};
beforeEach(async () => {
  before = 0;
  before = (await events()).length;
});

it('is granted to users and groups together, with one event', async () => {
  const [user, inGroup] = [await createAccount(), await createAccount()];
  const group = await createGroup(inGroup);
  await eventually(() => expect(rig.hints.accessChanged).toContain(inGroup));
  const hinted = rig.hints.accessChanged.length;
  const grants = { projectId, roles: [owner, member], users: [user], groups: [group] };
  await rig.ask(contracts.addProjectAccess, grants);

  const listed = await access();
  expect(listed.users.find(({ id }) => id === user)).toMatchObject({
    accountType: 'Service Account',
    roles: [owner, member],
    addedAt: expect.any(String),
  });
  expect(listed.groups.find(({ id }) => id === group)).toMatchObject({ roles: [owner, member], userCount: 1 });
  expect(listed.roles.map(({ id }) => id)).toEqual(expect.arrayContaining([owner, member]));
  expect(listed.roles.every(({ type }) => type === 'project' || type === 'custom')).toBe(true);
  expect(await rolesOf(user, 'other')).toEqual([]);
  const { projectId: _, ...data } = grants;
  expect(await events()).toEqual([{ type: 'project-access-added', project: projectId, data, preData: null }]);
  await eventually(() => expect(rig.hints.accessChanged.slice(hinted).sort()).toEqual([user, inGroup].sort()));

  await rig.ask(contracts.addProjectAccess, grants);
  const another = await createAccount();
  await rig.ask(contracts.addProjectAccess, { ...grants, users: [user, another] });
  expect((await events()).slice(1)).toMatchObject([{ data: { users: [another], groups: [] } }]);
});

it('is in the grants of the tokens of its users, for its projects only', async () => {
  const [one, other] = [await createAccount(), await createAccount()];
  const role = await createRole({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' });
  await rig.ask(contracts.addProjectRole, { projectId, roleId: role, users: [{ id: one }], groups: [] });
  await rig.ask(contracts.setUserProjectRoles, { projectId: 'other', userId: one, roles: [role] });
  await rig.ask(contracts.setGroupProjectRoles, { projectId, groupId: await createGroup(other), roles: [role] });
  const grantsOf = async (serviceAccountId: number) => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const request = { serviceAccountId, description: 'ci', expiresAt };
    const { secret } = await rig.ask(contracts.createServiceAccountToken, request);
    const { token } = await rig.ask(contracts.resolveToken, { selector: readToken(secret!)!.selector }, null);
    return token?.actor?.grants;
  };
  const grant = { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'production' };
  expect(await grantsOf(one)).toEqual([{ ...grant, projects: ['default', 'other'] }]);
  expect(await grantsOf(other)).toEqual([{ ...grant, projects: ['default'] }]);
});

it('keeps its effect when somebody grants the holder later roles in more projects than a message can name', async () => {
  const account = await createAccount();
  await rig.ask(contracts.setUserProjectRoles, { projectId: 'other', userId: account, roles: [member] });
  await rig.rows(
    `insert into accounts.project_user_roles (project, user_id, role_id, added_at)
    select lpad(i::text, 100, 'a'), $1, $2, now() + interval '1 second' from generate_series(1, 11000) i`,
    [account, member],
  );
  const { actor } = await rig.ask(contracts.resolveActor, { serviceAccountId: account });
  expect(actor?.grants.flatMap(({ projects = [] }) => projects)).toContain('other');
  expect(JSON.stringify(actor).length).toBeLessThan(301_000);
});

it.each(['user', 'group'] as const)('of a %s is replaced and revoked, with its events', async (kind) => {
  const id = kind === 'user' ? await createAccount() : await createGroup();
  const key = `${kind}Id`;
  const set = (roles: number[]) =>
    kind === 'user'
      ? rig.ask(contracts.setUserProjectRoles, { projectId, userId: id, roles })
      : rig.ask(contracts.setGroupProjectRoles, { projectId, groupId: id, roles });
  await set([]);
  expect(await events()).toEqual([]);
  await set([member, member]);
  await set([member, owner]);
  await set([owner, member]);
  await set([]);
  const updated = { type: `project-access-${kind}-roles-updated`, project: projectId };
  expect(await events()).toEqual([
    { ...updated, data: { [key]: id, roles: [member] }, preData: { [key]: id, roles: [] } },
    { ...updated, data: { [key]: id, roles: [owner, member] }, preData: { [key]: id, roles: [member] } },
    {
      type: `project-access-${kind}-roles-deleted`,
      project: projectId,
      data: null,
      preData: { [key]: id, roles: [owner, member] },
    },
  ]);
  expect((await access())[`${kind}s`].map((holder) => holder.id)).not.toContain(id);
});

it('is neither granted nor revoked by an actor with fewer permissions', async () => {
  const [user, role] = [await createAccount(), await createRole({ name: 'UPDATE_FEATURE' })];
  await rig.ask(contracts.setUserProjectRoles, { projectId, userId: user, roles: [owner] });
  const granter = actorWith({ permissions: ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_FEATURE'], projects: [projectId] });
  const set = (actor: Actor, roles: number[], project = projectId) =>
    rig.ask(contracts.setUserProjectRoles, { projectId: project, userId: user, roles }, actor);

  await set(granter, [owner, role]);
  expect(await rolesOf(user)).toEqual([owner, role]);
  for (const roles of [[role], [], [owner, role, member]]) {
    const { code, message } = await refusal(set(granter, roles));
    expect(code).toBe('no-access');
    expect(message).toContain('you cannot grant or revoke a role that permits more');
  }
  expect((await refusal(set(granter, [role], 'other'))).code).toBe('no-access');
  expect((await refusal(set(actorWith({ permissions: ['UPDATE_FEATURE'] }), [owner]))).message).toContain(
    'one of the permissions "PROJECT_USER_ACCESS_WRITE", "UPDATE_PROJECT"',
  );
  const request = { projectId, roles: [owner], users: [user], groups: [] };
  expect((await refusal(rig.ask(contracts.addProjectAccess, request, granter))).code).toBe('no-access');
  expect(await rolesOf(user)).toEqual([owner, role]);
  await set(granter, [owner]);
  expect(await rolesOf(user)).toEqual([owner]);
});

it('is granted by an owner of the project, up to everything an owner has', async () => {
  const user = await createAccount();
  const { permissions } = await rig.ask(contracts.getRole, { roleId: owner });
  const actor = actorWith({ permissions: permissions.map(({ name }) => name), projects: [projectId] });
  await rig.ask(contracts.setUserProjectRoles, { projectId, userId: user, roles: [owner, member] }, actor);
  expect(await rolesOf(user)).toEqual([owner, member]);
});

it('is refused for missing projects, users, groups and roles, and for roles of another type', async () => {
  const user = await createAccount();
  const unknownId = 987_654;
  const request = { projectId, roles: [member], users: [user], groups: [] as number[] };
  const refusals: [() => Promise<unknown>, string, string][] = [
    [
      () => rig.ask(contracts.addProjectAccess, { ...request, projectId: 'nowhere' }),
      'not-found',
      'project with ID "nowhere"',
    ],
    [() => access('nowhere'), 'not-found', 'project with ID "nowhere"'],
    [() => rig.ask(contracts.addProjectAccess, { ...request, users: [user, unknownId] }), 'bad-data', '.users[1]'],
    [() => rig.ask(contracts.addProjectAccess, { ...request, groups: [unknownId] }), 'bad-data', '.groups[0]'],
    [() => rig.ask(contracts.addProjectAccess, { ...request, roles: [member, 2] }), 'bad-data', '.roles[1]'],
    [() => rig.ask(contracts.addProjectAccess, { ...request, roles: [unknownId] }), 'bad-data', '.roles[0]'],
    [
      () => rig.ask(contracts.addProjectRole, { projectId, roleId: unknownId, users: [{ id: user }] }),
      'not-found',
      'role',
    ],
    [
      () => rig.ask(contracts.addProjectRole, { projectId, roleId: 1, users: [{ id: user }] }),
      'bad-data',
      'You sent 1.',
    ],
    [
      () => rig.ask(contracts.setUserProjectRoles, { projectId, userId: unknownId, roles: [] }),
      'not-found',
      'the user',
    ],
    [
      () => rig.ask(contracts.setGroupProjectRoles, { projectId, groupId: unknownId, roles: [] }),
      'not-found',
      'the group',
    ],
    [() => rig.ask(contracts.setUserProjectRoles, { projectId, userId: user, roles: [3] }), 'bad-data', '.roles[0]'],
  ];
  for (const [ask, code, words] of refusals) {
    expect(await refusal(ask())).toEqual({ code, message: expect.stringContaining(words) });
  }
  expect(await rolesOf(user)).toEqual([]);
  expect(await events()).toEqual([]);
});

it('is changed concurrently one change at a time, each event starting from the one before', async () => {
  const user = await createAccount();
  const raced = await race((racer) =>
    rig.ask(contracts.setUserProjectRoles, { projectId, userId: user, roles: [[owner], [member], []][racer % 3]! }),
  );
  expect(raced.won).toBe(20);
  const changes = await events();
  for (const [at, { data, preData }] of changes.entries()) {
    expect(preData?.roles).toEqual(at === 0 ? [] : (changes[at - 1]?.data?.roles ?? []));
    expect(data?.roles ?? []).not.toEqual(preData?.roles);
  }
  expect(await rolesOf(user)).toEqual(changes.at(-1)?.data?.roles ?? []);
});

it('is granted once by twenty equal requests at once, with one event', async () => {
  const user = await createAccount();
  await race(() => rig.ask(contracts.addProjectAccess, { projectId, roles: [member], users: [user] }));
  expect(await events()).toHaveLength(1);
});
