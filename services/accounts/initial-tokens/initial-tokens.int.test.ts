// Tests the tokens given by settings over a real bus and Postgres.
import { readFile } from 'node:fs/promises';
import { readToken } from '@yardarm/shared/auth';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { createDatabase, type Database } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountsTables } from '../db/schema.ts';
import { readableSecretsOf } from '../readable-secrets/readable-secrets.ts';
import { type AccountsRig, startAccountsRig } from '../testing/accounts-rig.ts';
import { readInitialTokens } from './initial-token.ts';
import { makeInitialTokens } from './make-initial-tokens.ts';

const configured = {
  INIT_ADMIN_API_TOKENS: '*:*.a-known-admin-secret',
  INIT_CLIENT_API_TOKENS: 'default:development.a-known-client-secret',
  INIT_BACKEND_API_TOKENS: '*:production.a-known-backend-secret, default:development.a-known-client-secret',
  INIT_FRONTEND_API_TOKENS: '*:production.a-known-frontend-secret',
};
const hashesAlone = readableSecretsOf({ API_TOKENS_READABLE: true, ACCOUNTS_ENCRYPTION_OTHER_KEYS: [] });
const log = createLogger({ service: 'test', level: 'error' });
let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig(configured);
});

afterAll(() => rig?.stop());

const selectorOf = (secret: string) => readToken(secret)!.selector;
async function stop(replica: RunningService): Promise<void> {
  await replica.drain();
  await replica.stop();
}

const replicaOf = (): Database<AccountsTables> =>
  createDatabase<AccountsTables>({ url: rig.database.urlFor('accounts'), schema: 'accounts', log, maxConnections: 1 });

it('of every kind exist after the first start, and a token in two settings is created once', async () => {
  expect((await rig.service.health()).initialTokens).toBeNull();
  expect(await rig.resolved(configured.INIT_ADMIN_API_TOKENS)).toMatchObject({
    kind: 'admin',
    name: 'initial admin token 1',
    expiresAt: null,
    actor: { kind: 'admin-token', id: -42, username: 'initial admin token 1', grants: [{ permissions: ['ADMIN'] }] },
  });
  expect(await rig.resolved(configured.INIT_CLIENT_API_TOKENS)).toMatchObject({
    ...{ kind: 'client', environment: 'development', projects: ['default'], actor: null },
  });
  expect(await rig.resolved('*:production.a-known-backend-secret')).toMatchObject({
    ...{ kind: 'client', name: 'initial backend token 1', projects: ['*'] },
  });
  expect(await rig.resolved(configured.INIT_FRONTEND_API_TOKENS)).toMatchObject({
    kind: 'frontend',
    environment: 'production',
  });
  expect(await rig.rows('select 1 from accounts.tokens')).toHaveLength(4);
});

it('are sent as hints to gateways, which may have cached them as unknown', async () => {
  const replica = await rig.start();
  await replica.processAll();
  await eventually(() => expect(rig.hints.tokenChanged).toContain(selectorOf(configured.INIT_CLIENT_API_TOKENS)));
  await stop(replica);
});

it('are created once by twenty replicas that start at once, with one event', async () => {
  const secrets = ['*:production.one-of-two', '*:production.two-of-two'];
  const { tokens } = readInitialTokens('client', secrets);
  const before = (await rig.events('api-token-created')).length;
  const replicas = Array.from({ length: 20 }, replicaOf);
  await Promise.all(replicas.map((db) => makeInitialTokens({ db, secrets: hashesAlone, log }, tokens, 'start')));
  const made = await rig.rows('select 1 from accounts.tokens where selector = any ($1)', [secrets.map(selectorOf)]);
  expect(made).toHaveLength(2);
  const events = (await rig.events('api-token-created')).slice(before);
  expect(events).toHaveLength(2);
  expect(events[0]).toMatchObject({
    createdBy: 'yardarm-system',
    createdByUserId: -1337,
    environment: 'production',
    project: null,
    data: { tokenName: 'initial client token 1', type: 'client', environment: 'production', projects: ['*'] },
  });
  await Promise.all(replicas.map((db) => db.close()));
});

it('stay deleted when a setting still has them, and the log says so without the secret', async () => {
  const secret = configured.INIT_FRONTEND_API_TOKENS;
  await rig.ask(contracts.deleteApiToken, { token: secret });
  const replica = await rig.start();
  await replica.processAll();
  expect(await rig.resolved(secret)).toBeNull();
  expect((await replica.health()).initialTokens).toBeNull();
  await stop(replica);
  const lines = rig.logged.filter((line) => line.includes('is not created again'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ tokenName: 'initial frontend token 1' });
  expect(rig.logged.join('\n')).not.toContain('a-known');
});

it('stay deleted when a replica starts during their deletion', async () => {
  const secret = '*:production.deleted-in-flight';
  const { tokens } = readInitialTokens('client', [secret]);
  const db = replicaOf();
  await makeInitialTokens({ db, secrets: hashesAlone, log }, tokens, 'first start');
  const events = (await rig.events('api-token-created')).length;

  // An uncommitted deletion: the insert of the second start has to wait for it.
  await rig.rows('begin');
  await rig.rows('delete from accounts.tokens where selector = $1', [selectorOf(secret)]);
  await rig.rows('insert into accounts.retired_tokens (selector) values ($1)', [selectorOf(secret)]);
  const second = makeInitialTokens({ db, secrets: hashesAlone, log }, tokens, 'second start');
  await eventually(async () => {
    const waiting = await rig.rows(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(waiting.length).toBeGreaterThan(0);
  });
  await rig.rows('commit');
  await second;

  expect(await rig.resolved(secret)).toBeNull();
  expect(await rig.events('api-token-created')).toHaveLength(events);
  await db.close();
});

it('with published or short secrets are named in a warning at every start, and others are not', async () => {
  const compose = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  const settings = ['INIT_ADMIN_API_TOKENS', 'INIT_CLIENT_API_TOKENS', 'INIT_FRONTEND_API_TOKENS'];
  const published = settings.map((name) => [name, new RegExp(`\\$\\{${name}:-(.+)\\}`).exec(compose)![1]!]);
  const password = /ACCOUNTS_DATABASE_PASSWORD:-([^}]+)/.exec(compose)![1]!;
  for (const [name, value] of [...published, ['password', password]])
    expect([name, value]).toEqual([name, expect.stringContaining('insecure')]);
  const INIT_BACKEND_API_TOKENS = `*:production.${'x'.repeat(19)},*:production.${'y'.repeat(20)}`;
  for (const _ of [1, 2]) {
    const from = rig.logged.length;
    await stop(await rig.start({ ...Object.fromEntries(published), INIT_BACKEND_API_TOKENS }));
    const warnings = rig.logged.slice(from).map((line) => JSON.parse(line));
    expect(warnings.filter(({ published }) => published)).toMatchObject([
      { level: 40, published: ['initial admin token 1', 'initial client token 1', 'initial frontend token 1'] },
    ]);
    expect(warnings.filter(({ short }) => short)).toMatchObject([{ level: 40, short: ['initial backend token 1'] }]);
    expect(JSON.stringify(warnings)).not.toMatch(/insecure|xxxx/);
  }
});

it('that are not created yet are answered with unavailable and not as unknown', async () => {
  const secret = '*:*.a-late-secret';
  const unknown = '*:*.nobody-has-this';
  // The insert of the token fails, while lookups work.
  await rig.rows(
    'alter table accounts.tokens add constraint no_late_token check (name <> $$initial admin token 1$$) not valid',
  );
  const late = await rig.start({ INIT_ADMIN_API_TOKENS: secret });
  try {
    expect((await late.health()).initialTokens).toMatch(/not done yet: make the initial tokens/);
    // Two replicas answer: null from one that created its tokens, `unavailable` from the late one.
    await eventually(() => expect(rig.resolved(unknown)).rejects.toMatchObject({ code: 'unavailable' }));
    expect(await rig.resolved(configured.INIT_CLIENT_API_TOKENS)).not.toBeNull();
    await rig.rows('alter table accounts.tokens drop constraint no_late_token');
    await late.processAll();
    expect((await late.health()).initialTokens).toBeNull();
    expect(await rig.resolved(secret)).toMatchObject({ kind: 'admin' });
    for (let times = 0; times < 20; times += 1) expect(await rig.resolved(unknown)).toBeNull();
  } finally {
    await rig.rows('alter table accounts.tokens drop constraint if exists no_late_token');
    await stop(late);
  }
});
