// Tests service accounts over a real bus and Postgres: answers, rows and races.
import { readToken } from '@yardarm/shared/auth';
import { pieceLimits } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsRig, nextYear, race, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;

const create = (username: string, rootRole = 3) =>
  rig.ask(contracts.createServiceAccount, { username, name: `Account ${username}`, rootRole });

const createToken = (serviceAccountId: number, description: string) =>
  rig.ask(contracts.createServiceAccountToken, { serviceAccountId, description, expiresAt: nextYear });

const list = () => rig.ask(contracts.listServiceAccounts, {});

const eventsOf = async (type: string, id: number) =>
  (await rig.events(type)).filter(({ data, preData }) => (data ?? preData)?.id === id);

beforeAll(async () => {
  rig = await startAccountsRig();
});

afterAll(() => rig?.stop());

describe('a service account', () => {
  it('is created with every documented field, listed with its tokens, with an event', async () => {
    const made = await create('ci-deploys', 2);
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Account ci-deploys',
      username: 'ci-deploys',
      imageUrl: expect.stringMatching(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?s=42&d=retro&r=g$/),
      rootRole: 2,
      createdAt: expect.any(String),
      tokens: [],
      isAPI: true,
      email: 'noemail@getunleash.io',
      inviteLink: '',
      loginAttempts: 0,
      emailSent: false,
      seenAt: null,
    });
    const { secret, ...token } = await createToken(made.id, 'pipeline');
    expect(secret).toMatch(/^user:/);

    const listed = await list();
    expect(listed.serviceAccounts.find(({ id }) => id === made.id)).toEqual({ ...made, tokens: [token] });
    expect(listed.rootRoles.map(({ id, type, name }) => [id, type, name])).toEqual([
      [1, 'root', 'Admin'],
      [2, 'root', 'Editor'],
      [3, 'root', 'Viewer'],
    ]);
    const { id, name, username, rootRole, createdAt } = made;
    expect(await eventsOf('service-account-created', id)).toMatchObject([
      { createdBy: 'root', createdByUserId: -42, data: { id, name, username, rootRole, createdAt }, preData: null },
    ]);
  });

  it('has a unique username: of twenty created at once in either case, one succeeds', async () => {
    const { won, codes } = await race((racer) => create(racer % 2 === 0 ? 'racer' : 'RACER'));
    expect({ won, codes }).toEqual({ won: 1, codes: ['name-exists'] });
    expect(await rig.rows(`select id from accounts.users where lower(username) = 'racer'`)).toHaveLength(1);
    const events = await rig.events('service-account-created');
    expect(events.filter(({ data }) => /^racer$/i.test(String(data?.username)))).toHaveLength(1);
    await expect(create('Racer')).rejects.toThrow(/username "Racer"/);
  });

  it('cannot have the username of a person', async () => {
    await rig.ask(contracts.createUser, { username: 'calico', rootRole: 3 });
    await expect(create('Calico')).rejects.toMatchObject({ code: 'name-exists' });
  });

  it.each([0, 4, 99, 3_000_000_000])('cannot have %i as root role, and is not created', async (rootRole) => {
    const before = await rig.rows('select id from accounts.users');
    await expect(create('nobody', rootRole)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringMatching(new RegExp(`^The .rootRole property .* You sent ${rootRole}\\.$`)),
    });
    expect(await rig.rows('select id from accounts.users')).toEqual(before);
  });

  it('can have a custom root role, with its permissions', async () => {
    const [role] = await rig.rows<{ id: number }>(
      `with made as (
         insert into accounts.roles (type, name, description) values ('root-custom', 'Integrator', '') returning id
       ) insert into accounts.role_permissions (role_id, permission) select id, 'CREATE_ADDON' from made
       returning role_id as id`,
    );
    const { id } = await create('custom', role!.id);
    const { secret } = await createToken(id, 'token');
    expect((await rig.resolved(secret!))?.actor?.grants).toEqual([{ permissions: ['CREATE_ADDON'] }]);
  });
});

describe('an update', () => {
  it('changes name and root role, never the username, with an event of before and after and a hint to gateways', async () => {
    const made = await create('renamed');
    const { secret, ...token } = await createToken(made.id, 'kept');
    const sent = { serviceAccountId: made.id, name: 'New name', rootRole: 1, username: 'ignored' };
    const after = await rig.ask(contracts.updateServiceAccount, sent);
    // A gateway of the release before refuses an answer with tokens.
    expect(after).toEqual({ ...made, name: 'New name', rootRole: 1, tokens: [] });
    const listed = (await list()).serviceAccounts.find(({ id }) => id === made.id);
    expect(listed).toEqual({ ...after, tokens: [token] });

    const { id, name, username, rootRole, createdAt } = made;
    expect(await eventsOf('service-account-updated', id)).toMatchObject([
      {
        data: { id, name: 'New name', username, rootRole: 1, createdAt },
        preData: { id, name, username, rootRole, createdAt },
      },
    ]);
    await eventually(() => expect(rig.hints.accessChanged).toContain(id));
    expect((await rig.resolved(secret!))?.actor).toMatchObject({
      name: 'New name',
      grants: [{ permissions: ['ADMIN'] }],
    });
  });

  it('that changes nothing emits no event', async () => {
    const { id, name } = await create('unchanged');
    await rig.ask(contracts.updateServiceAccount, { serviceAccountId: id });
    await rig.ask(contracts.updateServiceAccount, { serviceAccountId: id, name, rootRole: 3 });
    expect(await eventsOf('service-account-updated', id)).toEqual([]);
  });

  it('to a role that is not a root role is refused, and the name stays', async () => {
    const { id } = await create('steady');
    const request = rig.ask(contracts.updateServiceAccount, { serviceAccountId: id, name: 'Other', rootRole: 5 });
    await expect(request).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringMatching(/^The .rootRole property .* You sent 5\.$/),
    });
    expect((await list()).serviceAccounts.find((account) => account.id === id)?.name).toBe('Account steady');
  });
});

describe('deleting', () => {
  it('ends its tokens at once, frees its username, and emits one event', async () => {
    const { id, name, username, rootRole, createdAt } = await create('leaver', 1);
    const secrets = [await createToken(id, 'one'), await createToken(id, 'two')].map(({ secret }) => secret!);

    await rig.ask(contracts.deleteServiceAccount, { serviceAccountId: id });

    for (const secret of secrets) {
      expect(await rig.resolved(secret)).toBeNull();
      await eventually(() => expect(rig.hints.tokenChanged).toContain(readToken(secret)!.selector));
    }
    expect((await list()).serviceAccounts.some((account) => account.id === id)).toBe(false);
    expect(await eventsOf('service-account-deleted', id)).toMatchObject([
      { data: null, preData: { id, name, username, rootRole, createdAt } },
    ]);
    expect((await create('leaver')).id).toBeGreaterThan(id);
  });

  it('happens once, and no token is created afterwards, with many requests at once', async () => {
    const { id } = await create('contended');
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, racer) =>
        racer % 2 === 0
          ? rig.ask(contracts.deleteServiceAccount, { serviceAccountId: id })
          : createToken(id, `token ${racer}`),
      ),
    );
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['not-found']));
    expect(await rig.rows('select 1 from accounts.tokens where user_id = $1', [id])).toEqual([]);
    expect(await eventsOf('service-account-deleted', id)).toHaveLength(1);
  });

  it('of oneself is refused', async () => {
    const { id } = await create('ouroboros', 1);
    const self: Actor = { kind: 'service-account', id, username: 'ouroboros', grants: [{ permissions: ['ADMIN'] }] };
    await expect(rig.ask(contracts.deleteServiceAccount, { serviceAccountId: id }, self)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('cannot delete yourself'),
    });
  });
});

it.each([0, -1, 987_654, 3_000_000_000_000])('the unknown service account %i is not found', async (id) => {
  const notFound = { code: 'not-found', message: `Could not find the service account with ID "${id}".` };
  const update = rig.ask(contracts.updateServiceAccount, { serviceAccountId: id, name: 'x' });
  await expect(update).rejects.toMatchObject(notFound);
  await expect(rig.ask(contracts.deleteServiceAccount, { serviceAccountId: id })).rejects.toMatchObject(notFound);
});

it('a person is not found as a service account', async () => {
  const { user } = await rig.ask(contracts.createUser, { username: 'a-person', rootRole: 3 });
  for (const contract of [contracts.updateServiceAccount, contracts.deleteServiceAccount]) {
    await expect(rig.ask(contract, { serviceAccountId: user.id })).rejects.toMatchObject({ code: 'not-found' });
  }
});

it('two thousand with five tokens each are listed, each with its own', async () => {
  await rig.rows(
    `with made as (
       insert into accounts.users (kind, username, name, root_role)
       select 'service-account', 'many-' || n, repeat('x', 255), 3 from generate_series(1, 2000) n returning id
     )
     insert into accounts.tokens (kind, name, selector, hash, user_id, expires_at)
     select 'personal', 'token ' || t, 'many-' || id || '-' || t, 'hash', id, now() + interval '1 day'
     from made, generate_series(1, 5) t`,
  );
  const { serviceAccounts } = await list();
  expect(JSON.stringify(serviceAccounts).length).toBeGreaterThan(5 * pieceLimits.bytes);
  const many = serviceAccounts.filter(({ username }) => username.startsWith('many-'));
  expect(many).toHaveLength(2000);
  for (const { id, tokens } of many) {
    expect(tokens.map(({ userId, description }) => [userId, description])).toEqual(
      [1, 2, 3, 4, 5].map((t) => [id, `token ${t}`]),
    );
  }
});

it.each([
  [contracts.createServiceAccount, { username: 'x', name: 'x', rootRole: 3 }],
  [contracts.listServiceAccounts, {}],
  [contracts.updateServiceAccount, { serviceAccountId: 1 }],
  [contracts.deleteServiceAccount, { serviceAccountId: 1 }],
] as const)('only an admin may ask $name: case %#', async (contract, input) => {
  const viewer: Actor = { kind: 'user', id: 1, username: 'v', grants: [{ permissions: ['READ_ROLE'] }] };
  const request = rig.ask(contract, input as never, viewer);
  await expect(request).rejects.toMatchObject({ code: 'no-access', message: expect.stringContaining('"ADMIN"') });
});
