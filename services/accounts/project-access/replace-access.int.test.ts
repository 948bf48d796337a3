// Tests the replacement of all access to a project over a real bus and Postgres.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AccountsRig, race, startAccountsRig } from '../testing/accounts-rig.ts';

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

type RolesInput = { id: number; users?: number[]; groups?: number[] }[];
const set = (roles: RolesInput, actor?: Actor) => rig.ask(contracts.setProjectAccess, { projectId, roles }, actor);

async function access(project = projectId) {
  const { users, groups } = await rig.ask(contracts.getProjectAccess, { projectId: project });
  const pairOf = (holder: { id: number; roles: number[] }) => [holder.id, holder.roles];
  return {
    users: users.map(pairOf),
    groups: groups.map(pairOf),
  };
}

const events = async () => (await rig.events('project-access-updated')).slice(before);
let before = 0;
beforeEach(async () => {
  await set([]);
  before = 0;
  before = (await events()).length;
});

it('is replaced as requested, with one event of before and after, and other projects are unchanged', async () => {
  const [stays, goes] = [await createAccount(), await createAccount()];
  const [comes, inGroup] = [await createAccount(), await createAccount()];
  const group = await createGroup(inGroup);
  await rig.ask(contracts.setUserProjectRoles, { projectId: 'other', userId: goes, roles: [owner] });
  await set([{ id: member, users: [stays, goes] }]);
  await eventually(() => expect(rig.hints.accessChanged).toContain(goes));
  const addedAt = await rig.rows('select added_at from accounts.project_user_roles where user_id = $1', [stays]);
  const hinted = rig.hints.accessChanged.length;

  await set([{ id: member, users: [comes, stays, stays], groups: [group] }, { id: owner }]);

  expect(await access()).toEqual({
    users: [
      [stays, [member]],
      [comes, [member]],
    ].sort(([one], [other]) => Number(one) - Number(other)),
    groups: [[group, [member]]],
  });
  expect((await access('other')).users).toEqual([[goes, [owner]]]);
  const sorted = (...ids: number[]) => ids.sort((one, other) => one - other);
  const first = { roles: [{ id: member, users: sorted(stays, goes), groups: [] }] };
  expect(await events()).toMatchObject([
    { project: projectId, data: first, preData: { roles: [] } },
    {
      project: projectId,
      data: { roles: [{ id: member, users: sorted(stays, comes), groups: [group] }] },
      preData: first,
    },
  ]);
  await eventually(() =>
    expect(sorted(...(rig.hints.accessChanged.slice(hinted) as number[]))).toEqual(sorted(goes, comes, inGroup)),
  );
  // A role that stays keeps the time at which it was granted.
  expect(await rig.rows('select added_at from accounts.project_user_roles where user_id = $1', [stays])).toEqual(
    addedAt,
  );
});

it('emits no event when nothing changes', async () => {
  const user = await createAccount();
  await set([
    { id: owner, users: [user] },
    { id: member, users: [user] },
  ]);
  await set([
    { id: member, users: [user] },
    { id: owner, users: [user] },
  ]);
  expect(await events()).toHaveLength(1);
});

it('requires permission for the roles that change, and for no others', async () => {
  const [one, other] = [await createAccount(), await createAccount()];
  const { id: role } = await rig.ask(contracts.createRole, {
    name: 'Updater',
    permissions: [{ name: 'UPDATE_FEATURE' }],
  });
  await set([{ id: owner, users: [one] }]);
  const giver: Actor = {
    ...{ kind: 'user', id: 8, username: 'giver' },
    grants: [{ permissions: ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_FEATURE'], projects: [projectId] }],
  };
  await set(
    [
      { id: owner, users: [one] },
      { id: role, users: [other] },
    ],
    giver,
  );
  const unchanged = await access();
  for (const roles of [[], [{ id: role, users: [other] }], [{ id: owner, users: [one, other] }]]) {
    await expect(set(roles, giver)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('you cannot grant or revoke a role that permits more'),
    });
  }
  await expect(set([], { ...giver, grants: [] })).rejects.toMatchObject({ code: 'no-access' });
  expect(await access()).toEqual(unchanged);
});

it.each<[string, RolesInput, string]>([
  ['a user who is not there', [{ id: member }, { id: owner, users: [987_654] }], '.roles[1].users[0]'],
  ['a group that is not there', [{ id: member, groups: [3_000_000_000] }], '.roles[0].groups[0]'],
  ['a role that is not there', [{ id: 987_654 }], '.roles[0].id'],
  ['a root role', [{ id: member }, { id: 1 }], '.roles[1].id'],
])('with %s is refused and unchanged', async (_title, roles, property) => {
  const user = await createAccount();
  await set([{ id: member, users: [user] }]);
  await expect(set(roles)).rejects.toMatchObject({
    code: 'bad-data',
    message: expect.stringContaining(`The ${property} property should be the id of`),
  });
  expect((await access()).users).toEqual([[user, [member]]]);
});

it('of a missing project is not found', async () => {
  const request = rig.ask(contracts.setProjectAccess, { projectId: 'nowhere', roles: [] });
  await expect(request).rejects.toMatchObject({ code: 'not-found' });
});

it('is that of one of twenty concurrent requests, each event starting from the one before', async () => {
  const ids = [await createAccount(), await createAccount()];
  expect((await race((racer) => set([{ id: racer % 3 === 0 ? owner : member, users: [ids[racer % 2]!] }]))).won).toBe(
    20,
  );
  const updates = await events();
  for (const [at, { preData, data }] of updates.entries()) {
    expect(preData?.roles).toEqual(at === 0 ? [] : updates[at - 1]?.data?.roles);
    expect(data?.roles).not.toEqual(preData?.roles);
  }
  const [role] = updates.at(-1)!.data!.roles as [{ id: number; users: number[] }];
  expect(await access()).toEqual({ users: [[role.users[0], [role.id]]], groups: [] });
});
