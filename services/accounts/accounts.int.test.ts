// Proves accounts over a real bus and Postgres: what it answers, what it writes, and what races and restarts cannot break.
// It does not assert the HTTP surface (the gateway's) nor delivery of its events (the relay's).
import { randomBytes, randomUUID } from 'node:crypto';
import { isSameHash, makeToken, readToken } from '@yardarm/shared/auth';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { createDatabase, sql } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { loadAccountsConfig } from './config.ts';
import type { AccountsTables } from './db/schema.ts';
import { readInitialTokens } from './initial-tokens/initial-token.ts';
import { makeInitialTokens } from './initial-tokens/make-initial-tokens.ts';
import { startAccounts } from './service.ts';

const prefix = `t${randomBytes(6).toString('hex')}`;
const adminSecret = '*:*.a-known-admin-secret';
const clientSecret = 'default:development.a-known-client-secret';
const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString();

const admin: Actor = { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] };
const context = (actor: Actor | null = admin): RequestContext => ({
  requestId: randomUUID(),
  actor,
  deadline: Date.now() + 10_000,
  traceparent: null,
});

let database: TestDatabase;
let owner: pg.Client;
let accounts: RunningService;
let bus: Bus;
const logged: string[] = [];

async function start(tokens: { admin: string; client: string }): Promise<RunningService> {
  const config = loadAccountsConfig({
    NATS_URL: inject('natsUrl'),
    DATABASE_URL: database.urlFor('accounts'),
    YARDARM_PREFIX: prefix,
    INIT_ADMIN_API_TOKENS: tokens.admin,
    INIT_CLIENT_API_TOKENS: tokens.client,
  });
  const destination = { write: (line: string) => void logged.push(line) };
  return startAccounts(config, createLogger({ service: 'accounts', level: 'trace', destination }));
}

async function rowsOf<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await owner.query<Row>(text, values)).rows;
}

const eventsOf = (type: string) =>
  rowsOf<{ payload: string }>('select payload from accounts.outbox where type = $1 order by id', [type]).then((rows) =>
    rows.map((row) => JSON.parse(row.payload)),
  );

const resolved = async (secret: string) =>
  (await bus.request(contracts.resolveToken, { selector: readToken(secret)!.selector }, context(null))).token;

const createAccount = (username: string, rootRole = 3) =>
  bus.request(contracts.createServiceAccount, { username, name: `Account ${username}`, rootRole }, context());

const createToken = (serviceAccountId: number, description: string, expiresAt = nextYear) =>
  bus.request(contracts.createServiceAccountToken, { serviceAccountId, description, expiresAt }, context());

const listTokens = async (serviceAccountId: number) => {
  const pats = [];
  for await (const piece of bus.requestMany(contracts.listServiceAccountTokens, { serviceAccountId }, context()))
    pats.push(...piece.pats);
  return pats;
};

const listAccounts = async () => {
  const all: z.output<typeof contracts.listServiceAccounts.output> = { serviceAccounts: [], rootRoles: [] };
  for await (const piece of bus.requestMany(contracts.listServiceAccounts, {}, context())) {
    all.serviceAccounts.push(...piece.serviceAccounts);
    all.rootRoles.push(...piece.rootRoles);
  }
  return all;
};

/** How many of twenty at once were answered, and the codes of the others. */
async function race(act: (racer: number) => Promise<unknown>): Promise<{ won: number; codes: string[] }> {
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, racer) => act(racer)));
  const failures = results.filter((result) => result.status === 'rejected');
  return { won: 20 - failures.length, codes: [...new Set(failures.map(({ reason }) => reason.code as string))] };
}

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  accounts = await start({ admin: adminSecret, client: clientSecret });
  const log = createLogger({ service: 'test', level: 'error' });
  bus = await connectBus({ url: inject('natsUrl'), name: 'test', prefix, log });
  await accounts.processAll();
});

afterAll(async () => {
  await bus?.drain();
  await accounts?.drain();
  await accounts?.stop();
  await owner?.end();
  await database?.drop();
});

describe('tokens of service accounts', () => {
  it('show their secret once and let its holder do what the root role permits', async () => {
    const account = await createAccount('viewer-bot', 3);
    const { secret, ...token } = await createToken(account.id, 'reads');
    expect(secret).toMatch(/^user:yd_/);

    const pats = await listTokens(account.id);
    expect(pats).toEqual([token]);
    expect(token).toMatchObject({ userId: account.id, description: 'reads', seenAt: null, expiresAt: nextYear });

    const found = await resolved(secret!);
    expect(isSameHash(found!.hash, readToken(secret!)!.hash)).toBe(true);
    expect(found).toMatchObject({
      id: token.id,
      kind: 'personal',
      expiresAt: nextYear,
      environment: null,
      actor: { kind: 'service-account', id: account.id, username: 'viewer-bot', grants: [] },
    });
  });

  it.each([
    [1, (grants: string[]) => expect(grants).toEqual(['ADMIN'])],
    [3, (grants: string[]) => expect(grants).toEqual([])],
    [
      2,
      (grants: string[]) => {
        // What the public product's Editor holds.
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
  ])('of root role %i carry its permissions in every project and environment', async (rootRole, expectThem) => {
    const { id } = await createAccount(`role-${rootRole}`, rootRole);
    const { secret } = await createToken(id, 'token');
    const grants = (await resolved(secret!))!.actor!.grants;
    expectThem(grants.flatMap(({ permissions }) => permissions));
    for (const grant of grants) expect(Object.keys(grant)).toEqual(['permissions']);
  });

  it('have descriptions of their own within an account: of twenty made at once, one is', async () => {
    const { id } = await createAccount('describer');
    expect(await race(() => createToken(id, 'nightly'))).toEqual({ won: 1, codes: ['name-exists'] });
    await expect(createToken(id, 'nightly')).rejects.toThrow(/description "nightly"/);
    const other = await createAccount('other-describer');
    expect((await createToken(other.id, 'nightly')).description).toBe('nightly');
  });

  it('cannot have expired before they are made', async () => {
    const { id } = await createAccount('late');
    await expect(createToken(id, 'late', '2020-01-01T00:00:00Z')).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('.expiresAt property should be a date-time in the future. You sent "2020-01-01'),
    });
    expect(await rowsOf('select 1 from accounts.tokens where user_id = $1', [id])).toEqual([]);
  });

  it('are gone once deleted: gateways are told at once, and the event tells what was there', async () => {
    const { id } = await createAccount('short-lived');
    const { secret, ...token } = await createToken(id, 'brief');
    const { selector } = readToken(secret!)!;
    const heard: string[] = [];
    bus.onHint(contracts.tokenChangedHint, (hint) => void heard.push(hint.selector));

    const ids = { serviceAccountId: id, tokenId: token.id };
    await eventually(async () => {
      // The listener above is known to the server only after a moment; an unknown selector harms nobody.
      bus.hint(contracts.tokenChangedHint, { selector: 'listening' });
      expect(heard).toContain('listening');
    });
    await bus.request(contracts.deleteServiceAccountToken, ids, context());

    expect(await resolved(secret!)).toBeNull();
    await eventually(() => expect(heard).toContain(selector));
    expect((await eventsOf('pat-deleted')).at(-1)).toMatchObject({
      data: null,
      preData: { id: token.id, description: 'brief', userId: id },
    });
    await expect(bus.request(contracts.deleteServiceAccountToken, ids, context())).rejects.toMatchObject({
      code: 'not-found',
      message: `Could not find the token with ID "${token.id}" of the service account with ID "${id}".`,
    });
  });

  it.each([0, -1, 987_654, 3_000_000_000_000])('of account %i, which is not there, are not found', async (id) => {
    const notFound = { code: 'not-found', message: `Could not find the service account with ID "${id}".` };
    await expect(createToken(id, 'x')).rejects.toMatchObject(notFound);
    const list = listTokens(id);
    await expect(list).rejects.toMatchObject(notFound);
    const ids = { serviceAccountId: id, tokenId: 1 };
    await expect(bus.request(contracts.deleteServiceAccountToken, ids, context())).rejects.toMatchObject(notFound);
  });

  it('are not deleted through another account', async () => {
    const { id } = await createAccount('owner-of-it');
    const { id: stranger } = await createAccount('stranger');
    const { id: tokenId } = await createToken(id, 'mine');
    const ids = { serviceAccountId: stranger, tokenId };
    await expect(bus.request(contracts.deleteServiceAccountToken, ids, context())).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await rowsOf('select 1 from accounts.tokens where id = $1', [tokenId])).toHaveLength(1);
  });

  it('open nothing once their account is deleted', async () => {
    const { id } = await createAccount('leaver');
    const { secret } = await createToken(id, 'token');
    await rowsOf('update accounts.users set deleted_at = now() where id = $1', [id]);
    expect(await resolved(secret!)).toBeNull();
    const listed = await listAccounts();
    expect(listed.serviceAccounts.some((account) => account.id === id)).toBe(false);
  });
});

describe('resolving', () => {
  it.each([makeToken('user:').selector, 'x', '', "' or 1=1 --"])('finds nothing by selector %j', async (selector) => {
    expect(await bus.request(contracts.resolveToken, { selector }, context(null))).toEqual({ token: null });
  });
});

describe('initial tokens', () => {
  it('are told to gateways, which may have been asked for them before they were there', async () => {
    const heard: string[] = [];
    bus.onHint(contracts.tokenChangedHint, ({ selector }) => void heard.push(selector));
    await bus.flush();
    const replica = await start({ admin: adminSecret, client: clientSecret });
    await replica.processAll();
    await eventually(() => expect(heard).toContain(readToken(clientSecret)!.selector));
    await replica.drain();
    await replica.stop();
  });

  it('are there after the first start', async () => {
    expect(await accounts.health()).toEqual({ database: null, bus: null, initialTokens: null });
    expect(await resolved(adminSecret)).toMatchObject({
      kind: 'admin',
      name: 'initial admin token 1',
      expiresAt: null,
      actor: { kind: 'admin-token', id: -42, username: 'initial admin token 1', grants: [{ permissions: ['ADMIN'] }] },
    });
    expect(await resolved(clientSecret)).toMatchObject({
      kind: 'client',
      environment: 'development',
      projects: ['default'],
      actor: null,
    });
  });

  it('are made once by twenty replicas that start at once, and told once', async () => {
    const log = createLogger({ service: 'test', level: 'error' });
    const secrets = ['*:production.one-of-two', '*:production.two-of-two'];
    const { tokens } = readInitialTokens('client', secrets);
    const before = (await eventsOf('api-token-created')).length;
    const replicas = Array.from({ length: 20 }, () =>
      createDatabase<AccountsTables>({ url: database.urlFor('accounts'), schema: 'accounts', log, maxConnections: 1 }),
    );
    await Promise.all(replicas.map((db) => makeInitialTokens(db, tokens, 'start')));

    const selectors = secrets.map((secret) => readToken(secret)!.selector);
    const { rows } = await sql`select 1 from tokens where selector = any (${selectors})`.execute(replicas[0]!.kysely);
    expect(rows).toHaveLength(2);
    const events = (await eventsOf('api-token-created')).slice(before);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      createdBy: 'yardarm-system',
      createdByUserId: -1337,
      environment: 'production',
      data: { tokenName: 'initial client token 1', type: 'client', environment: 'production', projects: ['*'] },
    });
    await Promise.all(replicas.map((db) => db.close()));
  });

  it('are made again when nothing but the table came late, and readiness says so until then', async () => {
    await rowsOf('alter table accounts.tokens rename to tokens_away');
    const late = await start({ admin: '*:*.a-late-secret', client: '' });
    try {
      expect((await late.health()).initialTokens).toMatch(/not done yet: make the initial tokens/);
      await rowsOf('alter table accounts.tokens_away rename to tokens');
      await late.processAll();
      expect((await late.health()).initialTokens).toBeNull();
      expect(await resolved('*:*.a-late-secret')).toMatchObject({ kind: 'admin' });
    } finally {
      await rowsOf('alter table if exists accounts.tokens_away rename to tokens');
      await late.drain();
      await late.stop();
    }
  });
});

it('publishes all that happened', async () => {
  await createAccount('published');
  await accounts.processAll();
  expect(await rowsOf('select 1 from accounts.outbox where published_at is null')).toEqual([]);
});

it('leaves no secret in events, tables, logs or messages, whether a request succeeds or fails', async () => {
  const { id } = await createAccount('keeper');
  const messages: string[] = [];
  const said = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: Error) => void messages.push(error.message),
    );
  const { secret } = await createToken(id, 'kept');
  await said(createToken(id, 'kept'));
  await said(createToken(id, 'late', '2020-01-01T00:00:00Z'));
  await said(createToken(987_654, 'nobody'));
  // A failure inside: the insert is refused after the secret was made.
  await rowsOf('alter table accounts.outbox rename to outbox_away');
  await said(createToken(id, 'lost'));
  await rowsOf('alter table accounts.outbox_away rename to outbox');
  expect(messages).toHaveLength(4);
  await accounts.processAll();

  const tables = ['outbox', 'tokens', 'users'].map(
    (table) => `select to_jsonb(t)::text as text from accounts.${table} t`,
  );
  const stored = await rowsOf<{ text: string }>(tables.join(' union all '));
  const everything = [...stored.map(({ text }) => text), ...logged, ...messages].join('\n');
  expect(everything).toContain('kept');
  for (const known of [secret!, adminSecret, clientSecret]) {
    const tail = known.slice(known.search(/[.:](?!.*[.:])/) + 1);
    expect(everything).not.toContain(known);
    expect(everything).not.toContain(tail);
  }
  // None of those that never reached anybody either: every token of ours ends in 43 and 6 letters after its selector.
  expect(everything).not.toMatch(/yd_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}/);
});
