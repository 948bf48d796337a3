// Tests groups over a real bus and Postgres. The members are service accounts, which share a table with people.
import { readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually, isLongRun, longTest } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, race, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const viewer: Actor = { kind: 'user', id: 7, username: 'viewer', grants: [] };
const author: Actor = { kind: 'user', id: 8, username: 'author', grants: [{ permissions: ['ADMIN'] }] };

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

let accounts = 0;
async function createAccount(): Promise<number> {
  accounts += 1;
  const username = `member-${accounts}`;
  return (await rig.ask(contracts.createServiceAccount, { username, name: username, rootRole: 3 })).id;
}

const named = (...ids: number[]) => ids.map((id) => ({ user: { id } }));

const getGroup = (groupId: number) => rig.ask(contracts.getGroup, { groupId }, viewer);

/** The events of one group, in order. */
async function eventsOf(groupId: number) {
  const types = ['group-created', 'group-updated', 'group-deleted', 'group-user-added', 'group-user-removed'];
  const events = await rig.events(...types, 'project-access-group-roles-deleted');
  return events
    .filter(({ data, preData }) => [data?.id, preData?.id, data?.groupId, preData?.groupId].includes(groupId))
    .map(({ type, data, preData }) => ({ type, data, preData }));
}

it('is created with members, answered with them, and has events', async () => {
  const [one, two] = [await createAccount(), await createAccount()];
  const made = await rig.ask(contracts.createGroup, { name: 'Crew', users: named(two, one, two) }, author);
  expect(made).toEqual({
    id: expect.any(Number),
    name: 'Crew',
    description: null,
    mappingsSSO: [],
    rootRole: null,
    createdBy: 'author',
    createdAt: expect.any(String),
    users: [],
    projects: [],
    userCount: 2,
  });
  const read = await getGroup(made.id);
  expect(read).toMatchObject({
    ...made,
    users: [{ createdBy: 'author', user: { id: one, rootRole: 3 } }, { user: { id: two } }],
  });
  expect(read.users[0]?.user).toMatchObject({ accountType: 'Service Account', imageUrl: expect.any(String) });
  const listed = (await rig.ask(contracts.listGroups, {}, viewer)).groups;
  expect(listed.find(({ id }) => id === made.id)).toEqual(read);
  const data = { id: made.id, name: 'Crew', description: null, mappingsSSO: [], rootRole: null, users: [one, two] };
  expect(await eventsOf(made.id)).toEqual([
    { type: 'group-created', data, preData: null },
    { type: 'group-user-added', data: { groupId: made.id, userId: one }, preData: null },
    { type: 'group-user-added', data: { groupId: made.id, userId: two }, preData: null },
  ]);
});

it('exchanges its members with an event for each, and sends hints for those that changed only', async () => {
  const [stays, leaves, comes] = [await createAccount(), await createAccount(), await createAccount()];
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Watch', users: named(stays, leaves) });
  await eventually(() => expect(rig.hints.accessChanged).toEqual(expect.arrayContaining([stays, leaves])));
  const emitted = (await eventsOf(groupId)).length;
  const hinted = rig.hints.accessChanged.length;

  await rig.ask(contracts.updateGroup, { groupId, name: 'Watch', users: named(leaves, stays) });
  expect(await eventsOf(groupId)).toHaveLength(emitted);

  const changed = await rig.ask(contracts.updateGroup, { groupId, name: 'Second watch', users: named(stays, comes) });
  expect(changed).toMatchObject({ id: groupId, name: 'Second watch', users: [], userCount: 2 });
  expect((await getGroup(groupId)).users.map(({ user }) => user.id)).toEqual([stays, comes]);
  expect((await eventsOf(groupId)).slice(emitted)).toMatchObject([
    {
      type: 'group-updated',
      data: { name: 'Second watch', users: [stays, comes] },
      preData: { name: 'Watch', users: [stays, leaves] },
    },
    { type: 'group-user-removed', data: null, preData: { groupId, userId: leaves } },
    { type: 'group-user-added', data: { groupId, userId: comes }, preData: null },
  ]);
  await eventually(() => expect(rig.hints.accessChanged.slice(hinted).sort()).toEqual([leaves, comes].sort()));
});

it('keeps what an update does not name', async () => {
  const member = await createAccount();
  const definition = { name: 'Kept', description: 'All of it', mappingsSSO: ['crew'], rootRole: 3 };
  const { id: groupId } = await rig.ask(contracts.createGroup, { ...definition, users: named(member) });
  const renamed = await rig.ask(contracts.updateGroup, { groupId, name: 'Still kept' });
  expect(renamed).toMatchObject({ ...definition, name: 'Still kept', userCount: 1 });
  expect(await getGroup(groupId)).toMatchObject({ ...renamed, users: [{ user: { id: member } }] });
  const emptied = { name: 'Still kept', description: null, mappingsSSO: [], rootRole: null, users: [] };
  await rig.ask(contracts.updateGroup, { groupId, ...emptied });
  expect(await getGroup(groupId)).toMatchObject({ ...emptied, userCount: 0 });
});

it('grants its root role to its members and revokes it from all of them', async () => {
  const member = await createAccount();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const token = { serviceAccountId: member, description: 'ci', expiresAt };
  const { secret } = await rig.ask(contracts.createServiceAccountToken, token);
  const grants = async () => {
    const { selector } = readToken(secret!)!;
    return (await rig.ask(contracts.resolveToken, { selector }, null)).token?.actor?.grants;
  };
  expect(await grants()).toEqual([]);
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Admins', rootRole: 1, users: named(member) });
  expect(await grants()).toEqual([{ permissions: ['ADMIN'] }]);
  const hinted = rig.hints.accessChanged.length;
  await rig.ask(contracts.updateGroup, { groupId, name: 'Admins', rootRole: null });
  expect(await grants()).toEqual([]);
  await eventually(() => expect(rig.hints.accessChanged.slice(hinted)).toEqual([member]));
});

it('is deleted with its memberships and roles, with an event for each and its own last', async () => {
  const member = await createAccount();
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Passing', users: named(member) });
  await rig.ask(contracts.setGroupProjectRoles, { projectId: 'default', groupId, roles: [5] });
  await rig.ask(contracts.setGroupProjectRoles, { projectId: 'other', groupId, roles: [4, 5] });
  expect((await getGroup(groupId)).projects).toEqual(['default', 'other']);
  const emitted = (await eventsOf(groupId)).length;
  const hinted = rig.hints.accessChanged.length;
  await rig.ask(contracts.deleteGroup, { groupId });
  expect((await eventsOf(groupId)).slice(emitted)).toMatchObject([
    { type: 'group-user-removed', data: null, preData: { groupId, userId: member } },
    { type: 'project-access-group-roles-deleted', data: null, preData: { groupId, roles: [5] } },
    { type: 'project-access-group-roles-deleted', data: null, preData: { groupId, roles: [4, 5] } },
    { type: 'group-deleted', data: null, preData: { id: groupId, name: 'Passing', users: [member] } },
  ]);
  const lost = await rig.events('project-access-group-roles-deleted');
  expect(lost.filter(({ preData }) => preData?.groupId === groupId).map(({ project }) => project)).toEqual([
    'default',
    'other',
  ]);
  expect(await rig.rows('select 1 from accounts.project_group_roles where group_id = $1', [groupId])).toEqual([]);
  await eventually(() => expect(rig.hints.accessChanged.slice(hinted)).toContain(member));
  expect((await refusal(rig.ask(contracts.deleteGroup, { groupId }))).code).toBe('not-found');
  expect((await refusal(getGroup(groupId))).code).toBe('not-found');
});

it.each([
  ['a missing member', { users: named(987_654) }, '.users[0].user.id', '987654'],
  ['a member beyond every id', { users: named(3_000_000_000) }, '.users[0].user.id', '3000000000'],
  ['a missing root role', { rootRole: 99 }, '.rootRole', '99'],
  ['a role for projects as root role', { rootRole: 4 }, '.rootRole', '4'],
])('refuses %s, naming property and value', async (_title, more, property, value) => {
  const refusedWith = { code: 'bad-data', message: expect.stringContaining(`The ${property} property`) };
  const refused = await refusal(rig.ask(contracts.createGroup, { name: 'Refused', ...more }));
  expect(refused).toEqual(refusedWith);
  expect(refused.message).toContain(`You sent ${value}.`);
  expect(await rig.rows("select 1 from accounts.groups where name = 'Refused'")).toEqual([]);
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: `Kept ${property} ${value}` });
  expect(await refusal(rig.ask(contracts.updateGroup, { groupId, name: 'Refused', ...more }))).toEqual(refusedWith);
});

it('does not accept a deleted account as a member, nor shows one that was', async () => {
  const [gone, stays] = [await createAccount(), await createAccount()];
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Mortals', users: named(gone, stays) });
  await rig.rows('update accounts.users set deleted_at = now() where id = $1', [gone]);
  expect((await getGroup(groupId)).users.map(({ user }) => user.id)).toEqual([stays]);
  const refused = await refusal(rig.ask(contracts.updateGroup, { groupId, name: 'Mortals', users: named(gone) }));
  expect(refused.code).toBe('bad-data');
});

it('of the same name in any case is created once by twenty requests at once', async () => {
  const raced = await race((racer) => rig.ask(contracts.createGroup, { name: racer % 2 ? 'Raced' : 'RACED' }));
  expect(raced).toEqual({ won: 1, codes: ['name-exists'] });
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Other' });
  expect((await refusal(rig.ask(contracts.updateGroup, { groupId, name: 'raced' }))).code).toBe('name-exists');
});

it('has the members of one of twenty concurrent updates, and no mixture', async () => {
  const ids = (await Promise.all(Array.from({ length: 4 }, createAccount))).sort((a, b) => a - b);
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Contested' });
  const pairs = [ids.slice(0, 2), ids.slice(2)];
  const raced = await race((racer) =>
    rig.ask(contracts.updateGroup, { groupId, name: 'Contested', users: named(...pairs[racer % 2]!) }),
  );
  expect(raced.won).toBe(20);
  expect(pairs).toContainEqual((await getGroup(groupId)).users.map(({ user }) => user.id));
  const changes = (await eventsOf(groupId)).filter(({ type }) => type === 'group-updated');
  // Each event starts from the one before, and none is without a change.
  for (const [at, { preData, data }] of changes.entries()) {
    expect(preData?.users).toEqual(at === 0 ? [] : changes[at - 1]?.data?.users);
    expect(data?.users).not.toEqual(preData?.users);
  }
});

longTest('of thousands of members is created, read, listed and given as many others', async () => {
  // In a long run as many as a group may have.
  const size = isLongRun ? 10_000 : 2_000;
  const rows = await rig.rows<{ id: number }>(
    `insert into accounts.users (kind, name, username, root_role)
     select 'service-account', 'Member ' || n || repeat('.', 200), 'crowd-' || n, 3 from generate_series(1, ${2 * size}) as n
     returning id`,
  );
  const ids = rows.slice(0, size).map(({ id }) => id);
  const hinted = rig.hints.accessChanged.length;
  const { id: groupId } = await rig.ask(contracts.createGroup, { name: 'Crowd', users: named(...ids) });
  const group = await getGroup(groupId);
  expect(group.users.map(({ user }) => user.id)).toEqual(ids);
  expect(group.userCount).toBe(size);
  const listed = (await rig.ask(contracts.listGroups, {})).groups;
  expect(listed.filter(({ id }) => id === groupId).flatMap(({ users }) => users)).toHaveLength(size);
  await eventually(() => expect(rig.hints.accessChanged.slice(hinted)).toEqual([null]));
  const others = rows.slice(size).map(({ id }) => id);
  await rig.ask(contracts.updateGroup, { groupId, name: 'Crowd', users: named(...others) });
  expect(memberEvents(await eventsOf(groupId))).toEqual([
    ...ids.map((id) => `+${id}`),
    ...ids.map((id) => `-${id}`),
    ...others.map((id) => `+${id}`),
  ]);
  await rig.ask(contracts.deleteGroup, { groupId });
});

/** The added and removed members, in the order of the events. */
function memberEvents(events: Awaited<ReturnType<typeof eventsOf>>): string[] {
  const membership = events.filter(({ type }) => type.startsWith('group-user-'));
  return membership.map(({ data, preData }) => (data ? `+${data.userId}` : `-${preData?.userId}`));
}

it('has each member once when the members of several groups are read in portions', async () => {
  // The first group has as many as a portion, and the second one more than the rest of a portion.
  for (const [name, members] of [
    ['portion', 2_000],
    ['portions', 2_001],
    ['few', 3],
  ] as const)
    await rig.rows(
      `with made as (insert into accounts.groups (name) values ($1) returning id), accounts as (
        insert into accounts.users (kind, username, name, root_role)
        select 'service-account', $1 || '-' || n, 'Member', 3 from generate_series(1, $2::integer) n returning id
      ) insert into accounts.group_users (group_id, user_id) select made.id, accounts.id from made cross join accounts`,
      [name, members],
    );
  const other = { ...viewer, id: 97 };
  const { groups } = await rig.ask(contracts.listGroups, {}, other);
  for (const [name, members] of [
    ['portion', 2_000],
    ['portions', 2_001],
    ['few', 3],
  ] as const) {
    const { id, users } = groups.find((group) => group.name === name)!;
    expect(new Set(users.map(({ user }) => user.id)).size).toBe(members);
    expect(users).toHaveLength(members);
    const { users: ofOne } = await rig.ask(contracts.getGroup, { groupId: id }, other);
    expect(ofOne.map(({ user }) => user.id)).toEqual(users.map(({ user }) => user.id));
  }
});

it('is listed for one request of a caller at a time, beside those of others', async () => {
  const waiting = async () => {
    const [{ count } = { count: 0 }] = await rig.rows<{ count: number }>(
      "select count(*)::integer as count from pg_locks where not granted and relation = 'accounts.groups'::regclass",
    );
    return count;
  };
  await rig.rows('begin');
  await rig.rows('lock table accounts.groups in access exclusive mode');
  // Actors of their own: that of the other tests may rest.
  const callers = [98, 98, 98, 99].map((id) => ({ ...viewer, id }));
  const lists = Promise.allSettled(callers.map((caller) => rig.ask(contracts.listGroups, {}, caller)));
  try {
    // The service has all of them when it has answered this request.
    await rig.ask(contracts.listBanners, {});
    await eventually(async () => expect(await waiting()).toBeGreaterThanOrEqual(2));
    expect(await waiting()).toBe(2);
  } finally {
    await rig.rows('rollback');
  }
  expect((await lists).map(({ status }) => status)).toEqual(callers.map(() => 'fulfilled'));
});
