// Tests people over a real bus and Postgres: answers, rows and races.

import { readToken } from '@yardarm/shared/auth';
import { pieceLimits } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually, longTest } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsRig, admin, nextYear, race, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;

const password = 'Wind & Weather 7';

const create = (user: Parameters<typeof rig.ask<typeof contracts.createUser>>[1]) =>
  rig.ask(contracts.createUser, user);

const person = async (username: string, rootRole = 3) => (await create({ username, rootRole })).user;

const asker = ({ id, username }: { id: number; username?: string | undefined }, isAdmin = true): Actor => ({
  kind: 'user',
  id,
  username: username ?? String(id),
  grants: isAdmin ? [{ permissions: ['ADMIN'] }] : [],
});

const eventsOf = async (type: string, userId: number) =>
  (await rig.events(type)).filter(({ data, preData }) => (data ?? preData)?.id === userId);

/** While `act` runs, only these people are admins. */
async function withAdmins(ids: number[], act: () => Promise<void>): Promise<void> {
  const others = await rig.rows<{ id: number }>(
    `update accounts.users set root_role = 3
     where kind = 'user' and root_role = 1 and deleted_at is null and id <> all($1) returning id`,
    [ids],
  );
  try {
    await act();
  } finally {
    await rig.rows('update accounts.users set root_role = 1 where id = any($1)', [others.map(({ id }) => id)]);
  }
}

beforeAll(async () => {
  rig = await startAccountsRig();
});

afterAll(() => rig?.stop());

describe('a person', () => {
  it('is created with a password, answered with every field, with an event without the password', async () => {
    const { user, inviteToken } = await create({
      username: 'anne',
      email: 'anne@example.com',
      name: 'Anne',
      password,
      rootRole: 2,
      sendEmail: true,
    });
    expect(inviteToken).toBeNull();
    expect(user).toEqual({
      id: expect.any(Number),
      name: 'Anne',
      username: 'anne',
      email: 'anne@example.com',
      imageUrl: expect.stringMatching(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?s=42&d=retro&r=g$/),
      inviteLink: '',
      loginAttempts: 0,
      emailSent: false,
      rootRole: 2,
      seenAt: null,
      createdAt: expect.any(String),
      accountType: 'User',
      ...{ scimId: null, seatType: null, companyRole: null, productUpdatesEmailConsent: null },
    });
    expect(await rig.ask(contracts.getUser, { userId: user.id })).toEqual(user);
    expect(await eventsOf('user-created', user.id)).toMatchObject([
      {
        createdBy: 'root',
        createdByUserId: -42,
        data: { id: user.id, name: 'Anne', username: 'anne', email: 'anne@example.com', rootRole: 2 },
        preData: null,
      },
    ]);
    const [row] = await rig.rows<{ password_hash: string }>('select password_hash from accounts.users where id = $1', [
      user.id,
    ]);
    expect(row?.password_hash).toMatch(/^\$argon2id\$/);
  });

  it('without a password gets a one-time token for choosing one, valid for a week', async () => {
    const { user, inviteToken } = await create({ email: 'mary@example.com', rootRole: 'viewer' });
    expect(user).toMatchObject({ email: 'mary@example.com', rootRole: 3 });
    // Absent, never null: clients in some languages fail on null.
    for (const absent of ['username', 'name', 'mustChangePassword']) expect(user).not.toHaveProperty(absent);
    const [reset] = await rig.rows<{ selector: string; days: number }>(
      `select selector, extract(day from expires_at - created_at)::int as days
       from accounts.password_resets where user_id = $1`,
      [user.id],
    );
    expect(reset).toEqual({ selector: readToken(inviteToken!)!.selector, days: 7 });
  });

  it('is stored without leading and trailing blanks', async () => {
    const typed = { username: ' calico ', email: '\tjack@example.com ', name: '  Jack Rackham\n', rootRole: '3' };
    const { user } = await create(typed);
    expect(user).toMatchObject({ username: 'calico', email: 'jack@example.com', name: 'Jack Rackham', rootRole: 3 });
    await expect(person(' calico')).rejects.toMatchObject({ code: 'bad-data' });
    const updated = await rig.ask(contracts.updateUser, { userId: user.id, name: ' Jack Rackham ' });
    expect(updated).toEqual(user);
    expect(await eventsOf('user-updated', user.id)).toEqual([]);
  });

  it.each([
    ['no name to log in by', { name: 'Nobody', rootRole: 3 }, 'bad-data', /username or email/],
    ['a root role that is none', { username: 'lost', rootRole: 77 }, 'bad-data', /\.rootRole .* You sent 77\.$/],
    ['a project role', { username: 'lost', rootRole: 4 }, 'bad-data', /\.rootRole .* You sent 4\.$/],
    ['a role by no name', { username: 'lost', rootRole: 'Owner' }, 'bad-data', /\.rootRole .* You sent "Owner"\.$/],
    ['a weak password', { username: 'lost', rootRole: 3, password: 'weak' }, 'weak-password', /10 characters/],
    [
      'its name as password',
      { username: 'Captain-1@Tortuga', rootRole: 3, password: 'captain-1@tortugA' },
      'weak-password',
      /username/,
    ],
    ['no e-mail address', { email: 'nowhere', rootRole: 3 }, 'validation', /\.email .* You sent "nowhere"\.$/],
    ['a blank username', { username: '  ', rootRole: 3 }, 'validation', /\.username .* You sent " {2}"\.$/],
  ] as const)('with %s is refused, and nothing is made', async (_title, input, code, message) => {
    const before = await rig.rows('select id from accounts.users');
    await expect(create(input)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await rig.rows('select id from accounts.users')).toEqual(before);
  });

  it('has unique names: of twenty created at once in either case, one succeeds', async () => {
    const byUsername = await race((racer) => person(racer % 2 === 0 ? 'racer' : 'RACER'));
    expect(byUsername).toEqual({ won: 1, codes: ['bad-data'] });
    const byEmail = await race((racer) => create({ username: `r${racer}`, email: 'Racer@example.com', rootRole: 3 }));
    expect(byEmail).toEqual({ won: 1, codes: ['bad-data'] });
    const made = await rig.rows(`select id from accounts.users where lower(username) = 'racer'`);
    expect(made).toHaveLength(1);
    await expect(person('Racer')).rejects.toThrow(/\.username property .* You sent "Racer"\.$/);
    await expect(create({ email: 'racer@EXAMPLE.com', rootRole: 3 })).rejects.toThrow(
      /\.email property .* You sent "racer@EXAMPLE.com"\.$/,
    );
    const byEither = await race((racer) =>
      create(
        racer % 2 === 0
          ? { username: 'either@example.com', rootRole: 3 }
          : { email: 'Either@example.com', rootRole: 3 },
      ),
    );
    expect(byEither).toEqual({ won: 1, codes: ['bad-data'] });
  });

  it('cannot have the username of a service account', async () => {
    await rig.ask(contracts.createServiceAccount, { username: 'machine', name: 'M', rootRole: 3 });
    await expect(person('Machine')).rejects.toMatchObject({ code: 'bad-data' });
  });

  it.each([0, -1, 987_654, 3_000_000_000_000])('with the unknown ID %i is not found', async (userId) => {
    const notFound = { code: 'not-found', message: `Could not find the user with ID "${userId}".` };
    await expect(rig.ask(contracts.getUser, { userId })).rejects.toMatchObject(notFound);
    await expect(rig.ask(contracts.updateUser, { userId, name: 'x' })).rejects.toMatchObject(notFound);
    await expect(rig.ask(contracts.deleteUser, { userId })).rejects.toMatchObject(notFound);
  });

  it('is not found by the ID of a service account', async () => {
    const { id } = await rig.ask(contracts.createServiceAccount, { username: 'robot', name: 'R', rootRole: 3 });
    for (const contract of [contracts.getUser, contracts.updateUser, contracts.deleteUser]) {
      await expect(rig.ask(contract, { userId: id })).rejects.toMatchObject({ code: 'not-found' });
    }
  });
});

describe('an update', () => {
  it('changes the given properties, with an event of before and after and a hint to gateways', async () => {
    const user = await person('updated');
    const after = await rig.ask(contracts.updateUser, { userId: user.id, email: 'u@example.com', rootRole: 'Editor' });
    expect(after).toEqual({ ...user, email: 'u@example.com', rootRole: 2, imageUrl: expect.any(String) });
    const before = { id: user.id, name: null, username: 'updated', email: null, rootRole: 3 };
    expect(await eventsOf('user-updated', user.id)).toMatchObject([
      { data: { ...before, email: 'u@example.com', rootRole: 2 }, preData: before },
    ]);
    await eventually(() => expect(rig.hints.accessChanged).toContain(user.id));
  });

  it('that changes nothing emits no event', async () => {
    const user = await person('unchanged', 2);
    await rig.ask(contracts.updateUser, { userId: user.id });
    await rig.ask(contracts.updateUser, { userId: user.id, rootRole: 2 });
    expect(await eventsOf('user-updated', user.id)).toEqual([]);
  });

  it("to another's e-mail address, or to a role that is not a root role, is refused", async () => {
    await create({ email: 'taken@example.com', rootRole: 3 });
    const { id: userId } = await person('wants-more');
    await expect(rig.ask(contracts.updateUser, { userId, email: 'TAKEN@example.com' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('You sent "TAKEN@example.com".'),
    });
    await expect(rig.ask(contracts.updateUser, { userId, rootRole: 5 })).rejects.toThrow(/\.rootRole .* You sent 5\.$/);
    expect(await eventsOf('user-updated', userId)).toEqual([]);
  });
});

describe('deleting', () => {
  it('deletes tokens, memberships, roles and open invitations, frees the names, and emits one event', async () => {
    const { user, inviteToken } = await create({ username: 'leaver', email: 'leaver@example.com', rootRole: 2 });
    const { secret } = await rig.ask(
      contracts.createPersonalToken,
      { description: 'mine', expiresAt: nextYear },
      asker(user, false),
    );
    await rig.rows(`insert into accounts.project_user_roles (project, user_id, role_id) values ('default', $1, 4)`, [
      user.id,
    ]);
    await rig.rows(
      `with made as (insert into accounts.groups (name) values ('leavers') returning id)
       insert into accounts.group_users (group_id, user_id) select id, $1 from made`,
      [user.id],
    );
    expect(await rig.resolved(secret!)).toMatchObject({ actor: { id: user.id } });

    await rig.ask(contracts.deleteUser, { userId: user.id });

    expect(await rig.resolved(secret!)).toBeNull();
    await eventually(() => expect(rig.hints.tokenChanged).toContain(readToken(secret!)!.selector));
    for (const table of ['tokens', 'project_user_roles', 'group_users', 'password_resets']) {
      expect([table, await rig.rows(`select 1 from accounts.${table} where user_id = $1`, [user.id])]).toEqual([
        table,
        [],
      ]);
    }
    expect(inviteToken).not.toBeNull();
    const { id, username, email, rootRole } = user;
    expect(await eventsOf('user-deleted', id)).toMatchObject([
      { data: null, preData: { id, name: null, username, email, rootRole } },
    ]);
    const again = await create({ username: 'leaver', email: 'leaver@example.com', rootRole: 3 });
    expect(again.user.id).toBeGreaterThan(id);
    await expect(rig.ask(contracts.deleteUser, { userId: id })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('happens once with many requests at once', async () => {
    const { id } = await person('once');
    expect(await race(() => rig.ask(contracts.deleteUser, { userId: id }))).toEqual({ won: 1, codes: ['not-found'] });
    expect(await eventsOf('user-deleted', id)).toHaveLength(1);
  });

  it('frees the root role, so that a role that only deleted users had can be deleted', async () => {
    const [role] = await rig.rows<{ id: number }>(
      `insert into accounts.roles (type, name, description) values ('root-custom', 'Ephemeral', '') returning id`,
    );
    const { id } = await person('ephemeral', role!.id);
    await rig.ask(contracts.deleteUser, { userId: id });
    await rig.rows('delete from accounts.roles where id = $1', [role!.id]);
    expect(await eventsOf('user-deleted', id)).toMatchObject([{ preData: { rootRole: role!.id } }]);
  });

  it('of oneself is refused', async () => {
    const user = await person('narcissus', 1);
    await expect(rig.ask(contracts.deleteUser, { userId: user.id }, asker(user))).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(`the ID "${user.id}" is your own`),
    });
  });
});

describe('the last admin', () => {
  it('can neither be deleted nor get another root role', async () => {
    const { id } = await person('last', 1);
    const refused = { code: 'bad-data', message: expect.stringContaining(`"${id}" is the last admin`) };
    await withAdmins([id], async () => {
      await expect(rig.ask(contracts.deleteUser, { userId: id })).rejects.toMatchObject(refused);
      await expect(rig.ask(contracts.updateUser, { userId: id, rootRole: 2 })).rejects.toMatchObject(refused);
      expect(await rig.ask(contracts.updateUser, { userId: id, name: 'Last' })).toMatchObject({ rootRole: 1 });
    });
    await rig.ask(contracts.deleteUser, { userId: id });
  });

  it('is still the last when a service account or a deleted person has that role', async () => {
    const { id } = await person('alone', 1);
    const gone = await person('gone-admin', 1);
    await rig.ask(contracts.deleteUser, { userId: gone.id });
    await rig.ask(contracts.createServiceAccount, { username: 'admin-bot', name: 'x', rootRole: 1 });
    await withAdmins([id], async () => {
      await expect(rig.ask(contracts.deleteUser, { userId: id })).rejects.toThrow(/last admin/);
    });
  });

  it('remains when two admins delete or demote each other at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = [await person(`one-${round}`, 1), await person(`other-${round}`, 1)];
      await withAdmins([one.id, other.id], async () => {
        const results = await Promise.allSettled([
          rig.ask(contracts.deleteUser, { userId: other.id }, asker(one)),
          round % 2 === 0
            ? rig.ask(contracts.deleteUser, { userId: one.id }, asker(other))
            : rig.ask(contracts.updateUser, { userId: one.id, rootRole: 3 }, asker(other)),
        ]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const admins = await rig.rows(
          `select 1 from accounts.users where kind = 'user' and root_role = 1 and deleted_at is null`,
        );
        expect(admins).toHaveLength(1);
      });
    }
  });
});

describe('lists', () => {
  it('find people by a literal part of any of their names, in any case, and nobody by one letter', async () => {
    await create({ username: 'grace_50%', email: 'grace@sea.example', name: 'Grace O’Malley', rootRole: 3 });
    const found = async (query: string) =>
      (await rig.ask(contracts.searchUsers, { query }, asker({ id: 1, username: 'v' }, false))).users.map(
        ({ username }) => username,
      );
    for (const query of ['grace_50%', 'GRACE', 'SEA.example', 'o’mall', '0%']) {
      expect([query, await found(query)]).toEqual([query, ['grace_50%']]);
    }
    expect(await found('g')).toEqual([]);
    expect(await found('gr_ce')).toEqual([]);
    expect(await found('')).toEqual([]);
    await rig.ask(contracts.createServiceAccount, { username: 'grace-bot', name: 'Grace', rootRole: 3 });
    expect(await found('grace')).toEqual(['grace_50%']);
  });

  it('count admins who have a password, those who have none, and service accounts', async () => {
    const before = await rig.ask(contracts.countAdmins, {});
    await create({ username: 'with', password, rootRole: 1 });
    await person('without', 1);
    await person('no-admin', 2);
    await rig.ask(contracts.createServiceAccount, { username: 'counted-bot', name: 'x', rootRole: 1 });
    const { password: withOne, noPassword, service } = before;
    expect(await rig.ask(contracts.countAdmins, {})).toEqual({
      password: withOne + 1,
      noPassword: noPassword + 1,
      service: service + 1,
    });
  });

  longTest('contain five thousand people in pieces, each once, with the root roles', async () => {
    // The trigger of login names would keep the plan for the few names that autovacuum has seen, and read all names for
    // each user: 19 s.
    await rig.rows(
      `set local enable_seqscan = off;
       insert into accounts.users (kind, username, email, name, root_role)
       select 'user', 'crew-' || n, 'crew-' || n || '@example.com', repeat('x', 255), 3 from generate_series(1, 5000) n`,
    );
    const { users, rootRoles } = await rig.ask(contracts.listUsers, {});
    expect(JSON.stringify(users).length).toBeGreaterThan(5 * pieceLimits.bytes);
    const listed = users.filter(({ username }) => username?.startsWith('crew-'));
    expect(new Set(listed.map(({ id }) => id)).size).toBe(5000);
    expect(listed).toHaveLength(5000);
    expect(rootRoles.map(({ name }) => name)).toEqual(expect.arrayContaining(['Admin', 'Editor', 'Viewer']));
    const assignable = await rig.ask(contracts.listAssignable, {}, asker({ id: 1, username: 'v' }, false));
    expect(assignable.users.length).toBeGreaterThan(5000);
    expect(assignable.groups).toContainEqual(expect.objectContaining({ name: 'leavers', userCount: 0 }));
    await rig.rows(`delete from accounts.users where username like 'crew-%'`);
  });
});

describe('the caller', () => {
  const profileOf = (actor: Actor) => rig.ask(contracts.getProfile, {}, actor);
  const ownRoles = async (actor: Actor, projectId?: string) =>
    (await rig.ask(contracts.listOwnRoles, { projectId }, actor)).roles;

  it('is shown as stored, with root role, groups, projects and roles there, through groups too', async () => {
    const { user } = await create({ username: 'selfish', password, rootRole: 3 });
    const self: Actor = { ...asker(user), grants: [{ permissions: ['UPDATE_FEATURE'], projects: ['default'] }] };
    const [group] = await rig.rows<{ id: number }>(
      `insert into accounts.groups (name, description) values ('crew', 'All hands') returning id`,
    );
    await rig.rows('insert into accounts.group_users (group_id, user_id) values ($1, $2)', [group!.id, user.id]);
    await rig.rows(`insert into accounts.project_group_roles (project, group_id, role_id) values ('default', $1, 5)`, [
      group!.id,
    ]);
    await rig.rows(`insert into accounts.project_user_roles (project, user_id, role_id) values ('default', $1, 4)`, [
      user.id,
    ]);

    expect(await rig.ask(contracts.getMe, {}, self)).toEqual({ ...user, splash: {}, feedback: [] });
    expect(await profileOf(self)).toEqual({
      rootRole: expect.objectContaining({ id: 3, name: 'Viewer', type: 'root', project: null }),
      projects: ['default'],
      groups: [{ id: group!.id, name: 'crew', description: 'All hands' }],
      canChangePassword: true,
    });
    const names = async (projectId?: string) => (await ownRoles(self, projectId)).map(({ name }) => name);
    expect(await names()).toEqual(['Viewer']);
    expect(await names('default')).toEqual(['Viewer', 'Owner', 'Member']);
    expect(await names('other')).toEqual(['Viewer']);
  });

  it('may be an admin token or a service account', async () => {
    expect(await rig.ask(contracts.getMe, {}, admin)).toMatchObject({ id: -42, username: 'root', rootRole: 1 });
    expect(await profileOf(admin)).toMatchObject({
      rootRole: { id: 1 },
      projects: null,
      groups: [],
      canChangePassword: false,
    });
    expect(await ownRoles(admin)).toMatchObject([{ id: 1 }]);
    const bot = await rig.ask(contracts.createServiceAccount, { username: 'self-bot', name: 'Bot', rootRole: 2 });
    const self: Actor = { kind: 'service-account', id: bot.id, username: 'self-bot', grants: [] };
    expect(await rig.ask(contracts.getMe, {}, self)).toMatchObject({ id: bot.id, accountType: 'Service Account' });
  });

  it('is not found once deleted', async () => {
    const user = await person('ghost');
    await rig.ask(contracts.deleteUser, { userId: user.id });
    await expect(rig.ask(contracts.getMe, {}, asker(user, false))).rejects.toMatchObject({ code: 'not-found' });
  });
});

it.each([
  contracts.listUsers,
  contracts.getUser,
  contracts.countAdmins,
  contracts.createUser,
  contracts.updateUser,
  contracts.deleteUser,
])('only an admin may ask $name', async (contract) => {
  const editor: Actor = {
    kind: 'user',
    id: 1,
    username: 'e',
    grants: [{ permissions: ['CREATE_ADDON', 'READ_ROLE'] }],
  };
  const input = (contract === contracts.createUser ? { username: 'x', rootRole: 1 } : { userId: 1 }) as never;
  const request = rig.ask(contract, input, editor);
  await expect(request).rejects.toMatchObject({ code: 'no-access', message: expect.stringContaining('"ADMIN"') });
});
