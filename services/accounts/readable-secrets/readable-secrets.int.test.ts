// Tests secrets of SDK tokens that can be read again, over a real bus and Postgres: who reads them, what is stored, and
// keys that are missing, wrong and replaced.

import type { Actor, Permission } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { createDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AccountsTables } from '../db/schema.ts';
import { type AccountsRig, startAccountsRig } from '../testing/accounts-rig.ts';
import { encryptSecretsAgain } from './encrypt-again.ts';
import { readableSecretsOf } from './readable-secrets.ts';

const key = (fill: number) => Buffer.alloc(32, fill);
const keySettings = (current: number, ...others: number[]) => ({
  ACCOUNTS_ENCRYPTION_KEY: key(current).toString('base64'),
  ACCOUNTS_ENCRYPTION_OTHER_KEYS: others.map((fill) => key(fill).toString('base64')).join(','),
});
const log = createLogger({ service: 'test', level: 'error' });
const client = { type: 'client', tokenName: 'sdk' } as const;
let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig(keySettings(1));
});

afterAll(() => rig?.stop());

beforeEach(async () => {
  await rig.rows('delete from accounts.tokens');
});

const person = (...grants: { permissions: Permission[]; projects?: string[] }[]): Actor => ({
  ...{ kind: 'user', id: 1, username: 'ann' },
  grants,
});

async function stop(...replicas: RunningService[]): Promise<void> {
  for (const replica of replicas) {
    await replica.drain();
    await replica.stop();
  }
}

/** What a replica with these settings does at its start, and the secrets that it lists afterwards. */
async function secretsOf(...settings: Parameters<typeof keySettings>) {
  const [current, ...others] = settings;
  const keys = { ACCOUNTS_ENCRYPTION_KEY: key(current), ACCOUNTS_ENCRYPTION_OTHER_KEYS: others.map(key) };
  const db = createDatabase<AccountsTables>({
    ...{ url: rig.database.urlFor('accounts'), schema: 'accounts', log, maxConnections: 2 },
  });
  const secrets = readableSecretsOf({ API_TOKENS_READABLE: true, ...keys });
  const undecryptable = await encryptSecretsAgain(db, secrets, log);
  const rows = await db.kysely.selectFrom('tokens').select(['selector', 'sealed_key', 'sealed_secret']).execute();
  await db.close();
  return {
    undecryptable,
    opened: rows.map(({ selector, sealed_key: keyId, sealed_secret: text }) =>
      secrets.open({ selector, sealed: text === null ? null : { keyId, text } }),
    ),
  };
}

const stored = () => rig.rows<{ sealed_key: string | null }>('select * from accounts.tokens order by id');
const listed = async (actor?: Actor) => (await rig.ask(contracts.listApiTokens, {}, actor)).tokens;

it('a creation says that its caller cannot read the secret again', async () => {
  const create = person({ permissions: ['CREATE_CLIENT_API_TOKEN'] });
  const createAndRead = person({ permissions: ['CREATE_CLIENT_API_TOKEN', 'READ_CLIENT_API_TOKEN'] });
  expect(await rig.ask(contracts.createApiToken, client, create)).toMatchObject({ secure: true });
  expect(await rig.ask(contracts.createApiToken, client, createAndRead)).toMatchObject({ secure: false });
});

it('an SDK token is listed with its secret, and an admin token is not', async () => {
  const made = await rig.ask(contracts.createApiToken, client);
  const admin = await rig.ask(contracts.createApiToken, { type: 'admin', tokenName: 'ops' });
  expect([made.secure, admin.secure]).toEqual([false, true]);
  expect(await listed()).toMatchObject([
    { secret: made.secret, secure: false },
    { secret: expect.not.stringContaining(admin.secret), secure: true },
  ]);
  expect(JSON.stringify(await stored())).not.toContain(made.secret.split('_')[2]);
  expect(JSON.stringify(await rig.events())).not.toContain(made.secret.split('_')[1]);
  expect(rig.logged.join('')).not.toContain(made.secret.split('_')[2]);
});

const ofProject: Permission[] = ['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN'];
const inProject = { permissions: ofProject, projects: ['default'] };
const reader = { permissions: ['READ_PROJECT_API_TOKEN' as const], projects: ['default'] };

it.each<[string, Actor, string[], boolean]>([
  [
    'who reads and creates client tokens',
    person({ permissions: ['READ_CLIENT_API_TOKEN', 'CREATE_CLIENT_API_TOKEN'] }, reader),
    ['default', 'other'],
    true,
  ],
  [
    'who reads client tokens and creates none',
    person({ permissions: ['READ_CLIENT_API_TOKEN'] }, inProject),
    ['default', 'other'],
    false,
  ],
  ['who reads and creates the tokens of its project', person(inProject), ['default'], true],
  ['who reads the tokens of its project and creates none', person(reader), ['default'], false],
  ['who reads and creates the tokens of one of its projects', person(inProject), ['default', 'other'], false],
  [
    'who reads and creates frontend tokens, and those of this project alone',
    person({ permissions: ['READ_FRONTEND_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'] }, inProject),
    ['default', 'other'],
    false,
  ],
])('in the list of a project, a caller %s sees the secret: %s', async (_title, actor, projects, isSeen) => {
  const { secret } = await rig.ask(contracts.createApiToken, { ...client, projects });
  const list = await rig.ask(contracts.listProjectApiTokens, { projectId: 'default' }, actor);
  expect(list.tokens).toHaveLength(1);
  expect(list.tokens[0]).toMatchObject({ secure: !isSeen });
  expect(list.tokens[0]!.secret === secret).toBe(isSeen);
});

it('an Editor, who reads tokens of every project and creates none of them, sees no secret of one', async () => {
  await rig.ask(contracts.createApiToken, client);
  const actor = person({ permissions: ['READ_CLIENT_API_TOKEN', ...ofProject] });
  expect(await listed(actor)).toMatchObject([{ tokenName: 'sdk', secure: true }]);
});

it('a caller who reads frontend tokens sees no client token', async () => {
  await rig.ask(contracts.createApiToken, client);
  expect(await listed(person({ permissions: ['READ_FRONTEND_API_TOKEN'] }))).toEqual([]);
});

it('a token that has expired, or is of an environment that was deleted, has no secret any more', async () => {
  await rig.ask(contracts.createApiToken, { ...client, expiresAt: '2999-01-01T00:00:00Z' });
  await rig.rows(`update accounts.tokens set expires_at = now() - interval '1 second'`);
  expect(await listed()).toMatchObject([{ secure: true }]);
  await rig.service.processAll();
  expect(await stored()).toMatchObject([{ sealed_secret: null, sealed_key: null }]);

  const extended = await rig.ask(contracts.createApiToken, { ...client, tokenName: 'extended' });
  await rig.rows(`update accounts.tokens set expires_at = now() - interval '1 second' where name = 'extended'`);
  await rig.ask(contracts.updateApiToken, { token: extended.secret, expiresAt: '2999-01-01T00:00:00Z' });
  expect((await listed()).find(({ tokenName }) => tokenName === 'extended')).toMatchObject({ secure: true });

  const { secret, environment } = await rig.ask(contracts.createApiToken, { ...client, environment: 'production' });
  const createdAt = rig.flags.environments.get(environment)!;
  await rig.ask(contracts.removeAccessOfDeleted, { kind: 'environment', id: environment, createdAt });
  expect(await rig.resolved(secret)).toMatchObject({ projects: [] });
  expect(Object.keys((await rig.rows('select * from accounts.orphaned_tokens'))[0]!)).not.toContain('sealed_secret');
});

it('an encrypted secret decrypts in no other row', async () => {
  await rig.ask(contracts.createApiToken, client);
  await rig.ask(contracts.createApiToken, { ...client, tokenName: 'another' });
  await rig.rows(`update accounts.tokens set sealed_secret =
    (select sealed_secret from accounts.tokens other where other.id <> tokens.id)`);
  expect(await listed()).toMatchObject([{ secure: true }, { secure: true }]);
  // A new key does not hide that they cannot be decrypted.
  expect(await secretsOf(2, 1)).toEqual({ undecryptable: 2, opened: [null, null] });
});

it('a wrong or lost key costs the secrets alone: the service says so, is ready, and every token works', async () => {
  const { secret } = await rig.ask(contracts.createApiToken, client);
  for (const settings of [keySettings(2), { ACCOUNTS_ENCRYPTION_KEY: '' }]) {
    const replica = await rig.start(settings);
    await replica.processAll();
    const { readableTokens } = await replica.health();
    expect(readableTokens).toMatchObject({ degraded: expect.stringMatching(/^the secrets of 1 API tokens/) });
    await stop(replica);
  }
  expect(await secretsOf(2)).toEqual({ undecryptable: 1, opened: [null] });
  expect(await rig.resolved(secret)).toMatchObject({ kind: 'client' });
  expect(await listed()).toMatchObject([{ secret, secure: false }]);
});

it('a key is replaced: replicas with both keys read all secrets, several start at once, and tokens are deleted meanwhile', async () => {
  const made = [];
  for (let number = 0; number < 20; number += 1) made.push(await rig.ask(contracts.createApiToken, client));
  const deletions = made.slice(10).map(({ secret }) => rig.ask(contracts.deleteApiToken, { token: secret }));
  const starts = await Promise.all([secretsOf(3, 1), secretsOf(3, 1), secretsOf(3, 1), ...deletions]);
  expect(starts.slice(0, 3)).toMatchObject(Array(3).fill({ undecryptable: 0 }));
  const kept = made.slice(0, 10).map(({ secret }) => secret);
  expect((await secretsOf(3)).opened.sort()).toEqual(kept.sort());
  expect((await secretsOf(1, 3)).opened.sort()).toEqual(kept.sort());
});

it('API_TOKENS_READABLE=0 deletes the secrets at the start, and new tokens have none', async () => {
  const { secret } = await rig.ask(contracts.createApiToken, client);
  const replica = await rig.start({ API_TOKENS_READABLE: '0' });
  await replica.processAll();
  expect(await stored()).toMatchObject([{ sealed_secret: null, sealed_key: null }]);
  expect(await rig.resolved(secret)).not.toBeNull();
  expect(await listed()).toMatchObject([{ secure: true }]);
  // A replica with the setting before stores one more; the sweep deletes it.
  await rig.ask(contracts.createApiToken, { ...client, tokenName: 'late' });
  await replica.processAll();
  await stop(replica);
  expect((await stored()).map(({ sealed_key }) => sealed_key)).not.toContainEqual(expect.any(String));
});

it('a token of the settings is readable unless it is an admin token, also with the published key, which is warned of', async () => {
  const INIT_CLIENT_API_TOKENS = '*:development.a-known-client-secret-of-settings';
  const published = 'eWFyZGFybS1kZXZlbG9wbWVudC1rZXktMzItYnl0ZXM=';
  const from = rig.logged.length;
  const settings = { INIT_CLIENT_API_TOKENS, INIT_ADMIN_API_TOKENS: '*:*.a-known-admin-secret-of-settings' };
  const replica = await rig.start({
    ...settings,
    ...keySettings(1),
    ACCOUNTS_ENCRYPTION_KEY: published,
    ACCOUNTS_ENCRYPTION_OTHER_KEYS: key(1).toString('base64'),
  });
  await replica.processAll();
  const rows = await rig.rows(
    'select kind, sealed_secret is not null as "isReadable" from accounts.tokens order by kind',
  );
  expect(rows).toEqual([
    { kind: 'admin', isReadable: false },
    { kind: 'client', isReadable: true },
  ]);
  await stop(replica);
  const lines = rig.logged.slice(from).join('');
  expect(lines).toContain('"ACCOUNTS_ENCRYPTION_KEY"');
  expect(lines).not.toContain('of-settings');
  expect(lines).not.toContain(published);
});
