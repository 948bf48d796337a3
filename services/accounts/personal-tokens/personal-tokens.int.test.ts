// Tests personal access tokens of people and service accounts over a real bus and Postgres.
import { isSameHash, readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsRig, admin, nextYear, race, startAccountsRig } from '../testing/accounts-rig.ts';

const maxTokens = 10;
let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});

afterAll(() => rig?.stop());

/** Inserts a person and returns them as an actor. */
async function person(username: string): Promise<Actor> {
  const [row] = await rig.rows<{ id: number }>(
    "insert into accounts.users (kind, username, root_role) values ('user', $1, 3) returning id",
    [username],
  );
  return { kind: 'user', id: row!.id, username, grants: [] };
}

const createAccount = (username: string, rootRole = 3) =>
  rig.ask(contracts.createServiceAccount, { username, name: `Account ${username}`, rootRole });

const ofPerson = {
  create: (actor: Actor | null, description: string, expiresAt = nextYear) =>
    rig.ask(contracts.createPersonalToken, { description, expiresAt }, actor),
  list: async (actor: Actor) => (await rig.ask(contracts.listPersonalTokens, {}, actor)).pats,
  delete: (actor: Actor, tokenId: number) => rig.ask(contracts.deletePersonalToken, { tokenId }, actor),
};

const ofAccount = {
  create: (serviceAccountId: number, description: string, expiresAt = nextYear) =>
    rig.ask(contracts.createServiceAccountToken, { serviceAccountId, description, expiresAt }),
  list: async (serviceAccountId: number) =>
    (await rig.ask(contracts.listServiceAccountTokens, { serviceAccountId })).pats,
  delete: (serviceAccountId: number, tokenId: number) =>
    rig.ask(contracts.deleteServiceAccountToken, { serviceAccountId, tokenId }),
};

describe('tokens of people', () => {
  it('show their secret once, authenticate their owner, and have an event without the secret', async () => {
    const ann = await person('ann');
    const { secret, ...token } = await ofPerson.create(ann, 'laptop');
    expect(secret).toMatch(/^user:yd_/);
    expect(token).toMatchObject({ userId: ann.id, description: 'laptop', seenAt: null, expiresAt: nextYear });
    expect(await ofPerson.list(ann)).toEqual([token]);
    expect(await rig.resolved(secret!)).toMatchObject({ kind: 'personal', actor: { kind: 'user', id: ann.id } });

    const { id, description, userId, createdAt, expiresAt } = token;
    expect((await rig.events('pat-created')).at(-1)).toMatchObject({
      ...{ createdBy: 'ann', createdByUserId: ann.id, preData: null },
      data: { id, description, userId, createdAt, expiresAt },
    });
  });

  it('do not resolve once deleted, with a hint to gateways and an event of what they were', async () => {
    const ann = await person('ann-who-deletes');
    const { secret, id } = await ofPerson.create(ann, 'brief');
    await ofPerson.delete(ann, id);
    expect(await rig.resolved(secret!)).toBeNull();
    await eventually(() => expect(rig.hints.tokenChanged).toContain(readToken(secret!)!.selector));
    expect((await rig.events('pat-deleted')).at(-1)).toMatchObject({
      data: null,
      preData: { id, description: 'brief', userId: ann.id },
    });
    await expect(ofPerson.delete(ann, id)).rejects.toMatchObject({
      code: 'not-found',
      message: `Could not find the personal access token with ID "${id}".`,
    });
  });

  it('cannot be listed or deleted by another person', async () => {
    const [ann, bob] = [await person('ann-who-has'), await person('bob-who-has-not')];
    const { id, secret } = await ofPerson.create(ann, 'mine');
    expect(await ofPerson.list(bob)).toEqual([]);
    await expect(ofPerson.delete(bob, id)).rejects.toMatchObject({ code: 'not-found' });
    expect(await rig.resolved(secret!)).not.toBeNull();
  });

  it('are listed without the sessions of their owner, and sessions cannot be deleted as tokens', async () => {
    const ann = await person('ann-who-logs-in');
    const [session] = await rig.rows<{ id: number }>(
      `insert into accounts.tokens (kind, name, selector, hash, user_id, expires_at)
       values ('session', 'a-session', 'a-session', 'h', $1, now() + '1 day') returning id`,
      [ann.id],
    );
    expect(await ofPerson.list(ann)).toEqual([]);
    await expect(ofPerson.delete(ann, session!.id)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('have unique descriptions: of twenty created at once, one succeeds', async () => {
    const ann = await person('ann-who-repeats');
    expect(await race(() => ofPerson.create(ann, 'same'))).toEqual({ won: 1, codes: ['name-exists'] });
    await expect(ofPerson.create(ann, 'same')).rejects.toThrow('description "same"');
  });

  it('are at most ten, also with many requests at once', async () => {
    const ann = await person('ann-who-hoards');
    await ofPerson.create(ann, 'the first');
    expect(await race((racer) => ofPerson.create(ann, `racer ${racer}`))).toEqual({
      won: maxTokens - 1,
      codes: ['operation-denied'],
    });
    const [one] = await ofPerson.list(ann);
    await ofPerson.delete(ann, one!.id);
    expect((await ofPerson.create(ann, 'in its place')).userId).toBe(ann.id);
  });

  it.each<[string, Actor | null, string]>([
    ['an admin token', admin, 'forbidden'],
    ['a service account', { kind: 'service-account', id: 1, username: 'ci', grants: [] }, 'forbidden'],
    ['a deleted person', { kind: 'user', id: 987_654, username: 'gone', grants: [] }, 'forbidden'],
    ['a caller without an actor', null, 'no-access'],
  ])('are refused to %s', async (_title, actor, code) => {
    await expect(ofPerson.create(actor, 'x')).rejects.toMatchObject({ code });
  });

  it('are refused to a person who was deleted since authentication', async () => {
    const ann = await person('ann-who-left');
    await rig.rows('update accounts.users set deleted_at = now() where id = $1', [ann.id]);
    await expect(ofPerson.create(ann, 'late')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await rig.rows('select 1 from accounts.tokens where user_id = $1', [ann.id])).toEqual([]);
  });

  it.each(['list', 'delete'] as const)('cannot be requested (%s) by an admin token', async (act) => {
    const request = act === 'list' ? ofPerson.list(admin) : ofPerson.delete(admin, 1);
    await expect(request).rejects.toMatchObject({
      code: 'forbidden',
      message: 'PATs require an authenticated user.',
    });
  });
});

describe('tokens of a user', () => {
  const list = async (userId: number, by = admin) => (await rig.ask(contracts.listUserTokens, { userId }, by)).pats;
  const remove = (userId: number, tokenId: number, by = admin) =>
    rig.ask(contracts.deleteUserToken, { userId, tokenId }, by);

  it('are listed and deleted by an admin, with a hint to gateways and an event that names the admin', async () => {
    const ann = await person('ann-who-was-robbed');
    const { secret, ...token } = await ofPerson.create(ann, 'stolen');
    const kept = await ofPerson.create(ann, 'kept');
    expect((await list(ann.id)).map(({ id }) => id)).toEqual([token.id, kept.id]);
    expect((await list(ann.id))[0]).toEqual(token);
    await remove(ann.id, token.id);
    expect(await rig.resolved(secret!)).toBeNull();
    expect(await rig.resolved(kept.secret!)).not.toBeNull();
    await eventually(() => expect(rig.hints.tokenChanged).toContain(readToken(secret!)!.selector));
    expect((await rig.events('pat-deleted')).at(-1)).toMatchObject({
      ...{ createdBy: 'root', createdByUserId: -42, data: null },
      preData: { id: token.id, description: 'stolen', userId: ann.id },
    });
    await expect(remove(ann.id, token.id)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('are no business of anyone but admins', async () => {
    const ann = await person('ann-who-is-private');
    const { id } = await ofPerson.create(ann, 'mine');
    const editor: Actor = { kind: 'user', id: 4_711, username: 'edith', grants: [{ permissions: ['READ_LOGS'] }] };
    for (const by of [editor, ann]) {
      await expect(list(ann.id, by)).rejects.toMatchObject({ code: 'no-access' });
      await expect(remove(ann.id, id, by)).rejects.toMatchObject({ code: 'no-access' });
    }
  });

  it('are not deleted through another user, and neither are sessions', async () => {
    const [ann, bob] = [await person('ann-who-stays'), await person('bob-who-stays')];
    const { id } = await ofPerson.create(ann, 'mine');
    const [session] = await rig.rows<{ id: number }>(
      `insert into accounts.tokens (kind, name, selector, hash, user_id, expires_at)
       values ('session', 'of-ann', 'of-ann', 'h', $1, now() + '1 day') returning id`,
      [ann.id],
    );
    await expect(remove(bob.id, id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(remove(ann.id, session!.id)).rejects.toMatchObject({ code: 'not-found' });
    expect(await list(ann.id)).toHaveLength(1);
  });

  it('of an unknown or deleted user, or of a service account, are not found', async () => {
    const gone = await person('gone-with-tokens');
    await rig.rows('update accounts.users set deleted_at = now() where id = $1', [gone.id]);
    const robot = await createAccount('robot-with-tokens');
    for (const id of [987_654, 3_000_000_000_000, gone.id, robot.id]) {
      const notFound = { code: 'not-found', message: `Could not find the user with ID "${id}".` };
      await expect(list(id)).rejects.toMatchObject(notFound);
      await expect(remove(id, 1)).rejects.toMatchObject(notFound);
    }
  });
});

it('a session or token that has ended makes no token, also if the gateway does not know it yet', async () => {
  const ann = await person('ann-who-logs-out');
  const caller = await ofPerson.create(ann, 'caller');
  const create = (callerTokenId: number, description: string, by = ann) =>
    rig.ask(contracts.createPersonalToken, { description, expiresAt: nextYear, callerTokenId }, by);
  await create(caller.id, 'while it exists');
  await expect(create(caller.id, 'of another', await person('bob-the-borrower'))).rejects.toMatchObject({
    code: 'forbidden',
  });
  await ofPerson.delete(ann, caller.id);
  await expect(create(caller.id, 'too late')).rejects.toMatchObject({ code: 'forbidden' });
  expect((await ofPerson.list(ann)).map(({ description }) => description)).toEqual(['while it exists']);
});

describe('tokens of service accounts', () => {
  it('show their secret once and have the permissions of the root role', async () => {
    const account = await createAccount('viewer-bot');
    const { secret, ...token } = await ofAccount.create(account.id, 'reads');
    expect(secret).toMatch(/^user:yd_/);
    expect(await ofAccount.list(account.id)).toEqual([token]);
    expect(token).toMatchObject({ userId: account.id, description: 'reads', seenAt: null, expiresAt: nextYear });
    const found = await rig.resolved(secret!);
    expect(isSameHash(found!.hash, readToken(secret!)!.hash)).toBe(true);
    expect(found).toMatchObject({
      ...{ id: token.id, kind: 'personal', expiresAt: nextYear, environment: null },
      actor: { kind: 'service-account', id: account.id, username: 'viewer-bot', grants: [] },
    });
    expect((await rig.events('pat-created')).at(-1)!.data).toEqual({
      ...{ id: token.id, description: 'reads', userId: account.id },
      ...{ createdAt: token.createdAt, expiresAt: nextYear },
    });
  });

  it.each([
    [1, (grants: string[]) => expect(grants).toEqual(['ADMIN'])],
    [3, (grants: string[]) => expect(grants).toEqual([])],
    [
      2,
      (grants: string[]) => {
        expect(grants.sort()).toEqual([
          ...['CREATE_ADDON', 'CREATE_CONTEXT_FIELD', 'CREATE_FEATURE', 'CREATE_FEATURE_STRATEGY', 'CREATE_PROJECT'],
          ...['CREATE_PROJECT_API_TOKEN', 'CREATE_SEGMENT', 'CREATE_STRATEGY', 'CREATE_TAG_TYPE', 'DELETE_ADDON'],
          ...['DELETE_CONTEXT_FIELD', 'DELETE_FEATURE', 'DELETE_FEATURE_STRATEGY', 'DELETE_PROJECT'],
          ...['DELETE_PROJECT_API_TOKEN', 'DELETE_SEGMENT', 'DELETE_STRATEGY', 'DELETE_TAG_TYPE'],
          ...['MOVE_FEATURE_TOGGLE', 'READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN', 'READ_PROJECT_API_TOKEN'],
          ...['RELEASE_PLAN_TEMPLATE_CREATE', 'RELEASE_PLAN_TEMPLATE_UPDATE', 'UPDATE_ADDON', 'UPDATE_APPLICATION'],
          ...['UPDATE_CONTEXT_FIELD', 'UPDATE_FEATURE', 'UPDATE_FEATURE_DEPENDENCY', 'UPDATE_FEATURE_ENVIRONMENT'],
          ...['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'UPDATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_VARIANTS'],
          ...['UPDATE_PROJECT', 'UPDATE_SEGMENT', 'UPDATE_STRATEGY', 'UPDATE_TAG_TYPE'],
        ]);
      },
    ],
  ])('of root role %i have its permissions in every project and environment', async (rootRole, expectThem) => {
    const { id } = await createAccount(`role-${rootRole}`, rootRole);
    const { secret } = await ofAccount.create(id, 'token');
    const grants = (await rig.resolved(secret!))!.actor!.grants;
    expectThem(grants.flatMap(({ permissions }) => permissions));
    for (const grant of grants) expect(Object.keys(grant)).toEqual(['permissions']);
  });

  it('have unique descriptions within an account: of twenty created at once, one succeeds', async () => {
    const { id } = await createAccount('describer');
    expect(await race(() => ofAccount.create(id, 'nightly'))).toEqual({ won: 1, codes: ['name-exists'] });
    await expect(ofAccount.create(id, 'nightly')).rejects.toThrow(/description "nightly"/);
    const other = await createAccount('other-describer');
    expect((await ofAccount.create(other.id, 'nightly')).description).toBe('nightly');
  });

  it('may exceed the limit of a person', async () => {
    const { id } = await createAccount('hoarder');
    for (let n = 0; n <= maxTokens; n += 1) await ofAccount.create(id, `token ${n}`);
    expect(await ofAccount.list(id)).toHaveLength(maxTokens + 1);
  });

  it('cannot be created already expired', async () => {
    const { id } = await createAccount('late');
    await expect(ofAccount.create(id, 'late', '2020-01-01T00:00:00Z')).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('.expiresAt property should be a date-time in the future. You sent "2020-01-01'),
    });
    expect(await rig.rows('select 1 from accounts.tokens where user_id = $1', [id])).toEqual([]);
  });

  it('do not resolve once deleted, with an immediate hint to gateways and an event of what they were', async () => {
    const { id } = await createAccount('short-lived');
    const { secret, ...token } = await ofAccount.create(id, 'brief');
    await ofAccount.delete(id, token.id);
    expect(await rig.resolved(secret!)).toBeNull();
    await eventually(() => expect(rig.hints.tokenChanged).toContain(readToken(secret!)!.selector));
    expect((await rig.events('pat-deleted')).at(-1)).toMatchObject({
      data: null,
      preData: { id: token.id, description: 'brief', userId: id },
    });
    await expect(ofAccount.delete(id, token.id)).rejects.toMatchObject({
      code: 'not-found',
      message: `Could not find the token with ID "${token.id}" of the service account with ID "${id}".`,
    });
  });

  it.each([0, -1, 987_654, 3_000_000_000_000])('of the unknown account %i are not found', async (id) => {
    const notFound = { code: 'not-found', message: `Could not find the service account with ID "${id}".` };
    await expect(ofAccount.create(id, 'x')).rejects.toMatchObject(notFound);
    await expect(ofAccount.list(id)).rejects.toMatchObject(notFound);
    await expect(ofAccount.delete(id, 1)).rejects.toMatchObject(notFound);
  });

  it('are not deleted through another account', async () => {
    const { id } = await createAccount('owner-of-it');
    const { id: stranger } = await createAccount('stranger');
    const { id: tokenId } = await ofAccount.create(id, 'mine');
    await expect(ofAccount.delete(stranger, tokenId)).rejects.toMatchObject({ code: 'not-found' });
    expect(await ofAccount.list(id)).toHaveLength(1);
  });

  it('do not resolve once their account is deleted', async () => {
    const { id } = await createAccount('leaver');
    const { secret } = await ofAccount.create(id, 'token');
    await rig.rows('update accounts.users set deleted_at = now() where id = $1', [id]);
    expect(await rig.resolved(secret!)).toBeNull();
    await expect(ofAccount.create(id, 'another')).rejects.toMatchObject({ code: 'not-found' });
  });
});

it('have their events published from the outbox', async () => {
  await ofPerson.create(await person('ann-who-is-published'), 'token');
  await rig.service.processAll();
  expect(await rig.rows('select 1 from accounts.outbox where published_at is null')).toEqual([]);
});

it('have their secret in no event, table, log or message, whether a request succeeds or fails', async () => {
  const { id } = await createAccount('keeper');
  const ann = await person('ann-who-keeps');
  const messages: string[] = [];
  const record = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: Error) => void messages.push(error.message),
    );
  const secrets = [
    (await ofAccount.create(id, 'kept')).secret!,
    (await ofPerson.create(ann, 'kept')).secret!,
    (await rig.ask(contracts.createApiToken, { type: 'client', tokenName: 'kept' })).secret,
  ];
  await record(ofAccount.create(id, 'kept'));
  await record(ofAccount.create(id, 'late', '2020-01-01T00:00:00Z'));
  await record(ofAccount.create(987_654, 'nobody'));
  await record(rig.ask(contracts.updateApiToken, { token: secrets[2]!, expiresAt: '2020-01-01T00:00:00Z' }));
  await record(rig.ask(contracts.deleteApiToken, { token: secrets[2]! }, ann));
  await record(rig.ask(contracts.deleteProjectApiToken, { projectId: 'default', token: secrets[2]! }));
  // An internal failure: the insert fails after the secret was generated.
  await rig.rows('alter table accounts.outbox rename to outbox_away');
  await record(ofAccount.create(id, 'lost'));
  await record(ofPerson.create(ann, 'lost'));
  await record(rig.ask(contracts.createApiToken, { type: 'client', tokenName: 'lost' }));
  await record(rig.ask(contracts.deleteApiToken, { token: secrets[2]! }));
  await rig.rows('alter table accounts.outbox_away rename to outbox');
  expect(messages).toHaveLength(10);
  await rig.service.processAll();

  const tables = ['outbox', 'tokens', 'users', 'retired_tokens'].map(
    (table) => `select to_jsonb(t)::text as text from accounts.${table} t`,
  );
  const stored = await rig.rows<{ text: string }>(tables.join(' union all '));
  const everything = [...stored.map(({ text }) => text), ...rig.logged, ...messages].join('\n');
  expect(everything).toContain('kept');
  for (const secret of secrets) expect(everything).not.toContain(secret.slice(-49));
  // Nor secrets that no answer contained: every token ends in 43 and 6 letters after its selector.
  expect(everything).not.toMatch(/yd_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}/);
});
