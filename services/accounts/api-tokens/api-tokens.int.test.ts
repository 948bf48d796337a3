// Tests API tokens over a real bus and Postgres: who creates, lists, changes and deletes which, and races. That a token
// reads its own projects only, and stops working once deleted, is tested end to end.

import { readToken } from '@yardarm/shared/auth';
import { pieceLimits } from '@yardarm/shared/bus';
import type { Actor, Permission } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccountsRig, race, startAccountsRig } from '../testing/accounts-rig.ts';

const maxTokens = 30;
let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig({ UNLEASH_API_TOKENS_LIMIT: String(maxTokens) });
});

afterAll(() => rig?.stop());

beforeEach(async () => {
  await rig.rows("delete from accounts.tokens where kind in ('client', 'frontend', 'admin')");
});

const holder = (...permissions: Permission[]): Actor => ({
  kind: 'user',
  id: 1,
  username: 'ann',
  grants: [{ permissions }],
});
const owner = (...projects: string[]): Actor => ({
  kind: 'user',
  id: 1,
  username: 'ann',
  grants: [
    { permissions: ['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN'], projects },
  ],
});

type TokenRequest = Parameters<typeof makeToken>[0];
const makeToken = (
  request: Partial<{ type: string; tokenName: string; environment: string; project: string; projects: string[] }> & {
    expiresAt?: string | null;
  } = {},
  actor?: Actor,
) => rig.ask(contracts.createApiToken, { type: 'client', tokenName: 'sdk', ...request }, actor);

const list = async (actor?: Actor, tokenName?: string) =>
  (await rig.ask(contracts.listApiTokens, { tokenName }, actor)).tokens;

const listOf = async (projectId: string, actor?: Actor) =>
  (await rig.ask(contracts.listProjectApiTokens, { projectId }, actor)).tokens;

describe('a token', () => {
  it.each<[TokenRequest, string, object]>([
    [
      { type: 'CLIENT', projects: ['default'] },
      'default:development.yd_',
      { type: 'client', environment: 'development', project: 'default', projects: ['default'] },
    ],
    [{ type: 'Backend' }, '*:development.yd_', { type: 'backend', project: '*', projects: ['*'] }],
    [
      { type: 'Frontend', projects: ['default', 'other'], environment: 'production' },
      '[]:production.yd_',
      { type: 'frontend', environment: 'production', projects: ['default', 'other'] },
    ],
    [{ type: 'admin' }, '*:*.yd_', { type: 'admin', environment: '*', projects: ['*'] }],
  ])('of %j begins with %s, is shown whole once and then up to its selector', async (request, prefix, shape) => {
    const made = await makeToken(request);
    expect(made).toMatchObject({ tokenName: 'sdk', expiresAt: null, seenAt: null, alias: null, ...shape });
    expect(made.secret.startsWith(prefix)).toBe(true);

    const [listed, ...others] = await list();
    expect(others).toEqual([]);
    const type = made.type === 'backend' ? 'client' : made.type;
    expect(listed).toEqual({ ...made, type, secret: `${prefix}${readToken(made.secret)!.selector}` });

    const found = await rig.resolved(made.secret);
    expect(found).toMatchObject({ kind: type, name: 'sdk', hash: readToken(made.secret)!.hash });
    expect(found!.projects).toEqual(made.projects);
  });

  it('has an event when it is created, changed and deleted, and a hint to gateways', async () => {
    const made = await makeToken({ projects: ['default'] });
    const { secret, secure: _, seenAt: __, ...data } = made;
    const { selector } = readToken(secret)!;
    const expiresAt = '2999-01-01T00:00:00.000Z';
    await rig.ask(contracts.updateApiToken, { token: secret, expiresAt });
    await eventually(() => expect(rig.hints.tokenChanged.filter((hinted) => hinted === selector)).toHaveLength(1));
    expect((await rig.resolved(secret))!.expiresAt).toBe(expiresAt);
    await rig.ask(contracts.deleteApiToken, { token: secret });
    await eventually(() => expect(rig.hints.tokenChanged.filter((hinted) => hinted === selector)).toHaveLength(2));
    expect(await rig.resolved(secret)).toBeNull();

    const events = await rig.events('api-token-created', 'api-token-updated', 'api-token-deleted');
    const changed = { ...data, expiresAt };
    expect(events.slice(-3)).toMatchObject([
      { type: 'api-token-created', project: 'default', environment: 'development', data, preData: null },
      { type: 'api-token-updated', project: 'default', data: changed, preData: data },
      { type: 'api-token-deleted', environment: 'development', data: null, preData: changed },
    ]);
    expect(JSON.stringify(events)).not.toContain(selector);
  });

  it('with the same expiry is not changed, and has no event', async () => {
    const { secret } = await makeToken({ expiresAt: '2999-01-01T00:00:00Z' });
    const before = (await rig.events('api-token-updated')).length;
    await rig.ask(contracts.updateApiToken, { token: secret, expiresAt: '2999-01-01T01:00:00+01:00' });
    expect(await rig.events('api-token-updated')).toHaveLength(before);
    await rig.ask(contracts.updateApiToken, { token: secret, expiresAt: null });
    expect(await rig.events('api-token-updated')).toHaveLength(before + 1);
  });

  it('is named in full or as listings show it', async () => {
    const first = await makeToken();
    const second = await makeToken();
    const [listed] = await list();
    await rig.ask(contracts.deleteApiToken, { token: listed!.secret });
    expect(await rig.resolved(first.secret)).toBeNull();
    await rig.ask(contracts.deleteApiToken, { token: second.secret });
    expect(await list()).toEqual([]);
  });

  it.each(['nothing', 'default:development.yd_0123456789012345678901', '', '%00'])(
    'that does not exist (%j) is changed and deleted without an error',
    async (token) => {
      expect(await rig.ask(contracts.updateApiToken, { token, expiresAt: null })).toEqual({});
      expect(await rig.ask(contracts.deleteApiToken, { token })).toEqual({});
    },
  );

  it('without a name is refused with a message that shows what was sent', async () => {
    await expect(makeToken({ tokenName: ' ' })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('The .tokenName property should not be empty. You sent " ".'),
    });
  });

  it.each<[TokenRequest, string]>([
    [
      { environment: 'nowhere' },
      'The .environment property should name an environment that exists. You sent "nowhere".',
    ],
    [
      { projects: ['default', 'nowhere'] },
      'The .projects property should name projects that exist. You sent "nowhere".',
    ],
    [{ environment: '*' }, 'The .environment property'],
    [{ project: 'default', projects: ['default'] }, 'The .project property'],
    [{ type: 'admin', projects: ['default'] }, 'The .projects property'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'The .expiresAt property should be a date-time in the future'],
  ])('is not created from %j', async (request, message) => {
    await expect(makeToken(request)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(message),
    });
    expect(await list()).toEqual([]);
  });

  it('beyond the limit is not created, also with many requests at once', async () => {
    await rig.rows(
      `insert into accounts.tokens (kind, name, selector, hash, projects, environment)
       select 'client', 'filler', 'filler-' || n, 'h', '{*}', 'development' from generate_series(1, $1::int) n`,
      [maxTokens - 3],
    );
    // A slow insert: every request that does not wait for the others has counted before the first insert is committed.
    await rig.rows(
      `create function accounts.linger() returns trigger language plpgsql as
         $$ begin perform pg_sleep(0.1); return new; end $$`,
    );
    await rig.rows(
      'create trigger linger before insert on accounts.tokens for each row execute function accounts.linger()',
    );
    const raced = await race((racer) => makeToken({ tokenName: `racer-${racer}` }));
    await rig.rows('drop function accounts.linger cascade');
    expect(raced).toEqual({ won: 3, codes: ['limit-exceeded'] });
    await expect(makeToken()).rejects.toThrow(`at most ${maxTokens}`);
    expect(await list()).toHaveLength(maxTokens);
  });

  it('deleted by many requests at once is deleted once', async () => {
    const { secret } = await makeToken();
    const before = (await rig.events('api-token-deleted')).length;
    expect((await race(() => rig.ask(contracts.deleteApiToken, { token: secret }))).won).toBe(20);
    expect(await rig.events('api-token-deleted')).toHaveLength(before + 1);
  });
});

describe('permissions', () => {
  const types = ['client', 'frontend', 'admin'] as const;
  it.each<[Permission, (typeof types)[number][]]>([
    ['CREATE_CLIENT_API_TOKEN', ['client']],
    ['CREATE_FRONTEND_API_TOKEN', ['frontend']],
    ['ADMIN', ['client', 'frontend', 'admin']],
  ])('%s creates %j', async (permission, mine) => {
    for (const type of types) {
      const making = makeToken({ type }, holder(permission));
      if (mine.includes(type)) expect((await making).type).toBe(type);
      else {
        const needed = type === 'admin' ? 'ADMIN' : `CREATE_${type.toUpperCase()}_API_TOKEN`;
        await expect(making).rejects.toMatchObject({
          code: 'no-access',
          message: expect.stringContaining(`"${needed}"`),
        });
      }
    }
  });

  it.each<[Permission, string[]]>([
    ['READ_CLIENT_API_TOKEN', ['client']],
    ['READ_FRONTEND_API_TOKEN', ['frontend']],
    ['ADMIN', ['client', 'frontend', 'admin']],
  ])('%s lists %j, also by name', async (permission, seen) => {
    for (const type of types) await makeToken({ type, tokenName: 'same' });
    await makeToken({ tokenName: 'another' });
    expect((await list(holder(permission), 'same')).map(({ type }) => type)).toEqual(seen);
    expect(await list(holder(permission), 'nobody')).toEqual([]);
  });

  it.each(['UPDATE', 'DELETE'] as const)('%s of one kind does not permit another', async (act) => {
    const client = await makeToken();
    const other = await makeToken({ type: 'admin' });
    const actor = holder(`${act}_FRONTEND_API_TOKEN`);
    for (const [token, needed] of [
      [client.secret, `${act}_CLIENT_API_TOKEN`],
      [other.secret, 'ADMIN'],
    ] as const) {
      const asked =
        act === 'UPDATE'
          ? rig.ask(contracts.updateApiToken, { token, expiresAt: '2999-01-01T00:00:00Z' }, actor)
          : rig.ask(contracts.deleteApiToken, { token }, actor);
      await expect(asked).rejects.toMatchObject({
        code: 'no-access',
        message: expect.stringContaining(`"${needed}"`),
      });
    }
    expect((await list()).map(({ expiresAt }) => expiresAt)).toEqual([null, null]);
  });
});

describe('of a project', () => {
  const make = (projectId: string, actor: Actor, type = 'client') =>
    rig.ask(contracts.createProjectApiToken, { projectId, type, tokenName: 'of project' }, actor);

  it('tokens are created, listed and deleted with the permissions of that project only', async () => {
    const ann = owner('default');
    const made = await make('default', ann);
    expect(made).toMatchObject({ projects: ['default'], environment: 'development' });
    expect(await listOf('default', ann)).toMatchObject([{ tokenName: 'of project' }]);
    await expect(make('other', ann)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('"CREATE_PROJECT_API_TOKEN"'),
    });
    await expect(listOf('other', ann)).rejects.toMatchObject({ code: 'no-access' });
    await rig.ask(contracts.deleteProjectApiToken, { projectId: 'default', token: made.secret }, ann);
    expect(await rig.resolved(made.secret)).toBeNull();
  });

  it('a token of several projects is listed in each, one of all in none, and neither is deleted there', async () => {
    const several = await makeToken({ projects: ['default', 'other'] });
    const all = await makeToken();
    expect(await listOf('default')).toMatchObject([{ projects: ['default', 'other'] }]);
    expect(await listOf('other')).toMatchObject([{ projects: ['default', 'other'] }]);
    for (const { secret } of [several, all]) {
      const asked = rig.ask(contracts.deleteProjectApiToken, { projectId: 'default', token: secret }, owner('default'));
      await expect(asked).rejects.toMatchObject({ code: 'bad-data', message: expect.stringContaining('"default"') });
      expect(await rig.resolved(secret)).not.toBeNull();
    }
  });

  it('a missing token is not found and not repeated, and of twenty concurrent deletions one succeeds', async () => {
    const deleting = (token: string) =>
      rig.ask(contracts.deleteProjectApiToken, { projectId: 'default', token }, owner('default'));
    await expect(deleting('default:development.mine')).rejects.toMatchObject({
      code: 'not-found',
      message: 'Could not find this token in the project with ID "default".',
    });
    const { secret } = await makeToken({ projects: ['default'] });
    expect(await race(() => deleting(secret))).toEqual({ won: 1, codes: ['not-found'] });
  });

  it('no admin token is created', async () => {
    await expect(make('default', owner('default'), 'admin')).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('.type'),
    });
  });

  it('that does not exist, nothing is found', async () => {
    const everywhere = holder('ADMIN');
    const notFound = { code: 'not-found', message: 'Could not find the project with ID "nowhere".' };
    await expect(make('nowhere', everywhere)).rejects.toMatchObject(notFound);
    await expect(listOf('nowhere', everywhere)).rejects.toMatchObject(notFound);
    const deleting = rig.ask(contracts.deleteProjectApiToken, { projectId: 'nowhere', token: 'x' }, everywhere);
    await expect(deleting).rejects.toMatchObject(notFound);
  });
});

it('thousands of tokens are listed completely', async () => {
  await rig.rows(
    `insert into accounts.tokens (kind, name, selector, hash, projects, environment)
     select 'client', 'many-' || n, 'many-' || n, 'h', array['default', repeat('p', 200)], 'development'
     from generate_series(1, 3000) n`,
  );
  const { tokens } = await rig.ask(contracts.listApiTokens, {});
  expect(JSON.stringify(tokens).length).toBeGreaterThan(pieceLimits.bytes);
  expect(tokens).toHaveLength(3_000);
  expect(await listOf('default')).toHaveLength(3_000);
});
