// Proves the boundary between services, which Postgres enforces, and that a migration may be repeated, run concurrently
// or be refused. Does not assert what the services' own migrations create.

import { randomBytes } from 'node:crypto';
import { longTest } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { createLogger } from '../../log/index.ts';
import { type MigrateOptions, MigrationError, migrateAll, sql, waitForDatabase } from '../index.ts';
import {
  asOwner,
  createEmptyDatabase,
  createTestSchemas,
  dropDatabase,
  loginUrl,
  migrationsOf,
  silent,
  type TestSchemas,
} from '../testing/test-schemas.ts';

const postgresUrl = inject('postgresUrl');
let schemas: TestSchemas;
const created: string[] = [];

beforeAll(async () => {
  schemas = await createTestSchemas(postgresUrl, ['flags', 'events']);
});
afterAll(() => schemas.drop());
afterEach(async () => {
  for (const url of created.splice(0)) await dropDatabase(postgresUrl, url);
});

async function emptyDatabase(): Promise<string> {
  const url = await createEmptyDatabase(postgresUrl);
  created.push(url);
  return url;
}

const optionsFor = (ownerUrl: string, ...names: ('flags' | 'events')[]): MigrateOptions => ({
  ownerUrl,
  services: names.map((service) => ({ set: migrationsOf(service), loginUrl: loginUrl(ownerUrl, service) })),
  log: silent,
});

test("Postgres refuses a service's login everything except rows of its own schema", async () => {
  const flags = schemas.connect('flags');
  const refused = [
    'select * from events.outbox',
    "insert into events.inbox values ('x', gen_random_uuid())",
    'create table mine (n integer)',
    'create table public.mine (n integer)',
    'create schema mine',
    'alter table outbox add column mine text',
    'drop table outbox',
    'truncate outbox',
    'delete from migration',
    'set role db_test_flags_owner',
    'set role db_test_events',
  ];
  for (const statement of refused) {
    const outcome = sql.raw(statement).execute(flags.kysely);
    await expect(outcome, statement).rejects.toMatchObject({ code: expect.stringMatching(/^42501$/) });
  }
});

test("a service's login may read and write the rows of its own schema", async () => {
  const flags = schemas.connect('flags');
  for (const statement of [
    "insert into inbox values ('rows', gen_random_uuid())",
    "update inbox set received_at = now() where consumer = 'rows'",
    "delete from inbox where consumer = 'rows'",
    'select last_value from outbox_id_seq',
  ]) {
    await sql.raw(statement).execute(flags.kysely);
  }
});

test('a migration can revoke rights, and the login keeps the others', async () => {
  const ownerUrl = await emptyDatabase();
  const options = optionsFor(ownerUrl, 'events');
  options.services[0]!.set.migrations['0002-log'] = {
    async up(db) {
      await sql`create table log (n integer)`.execute(db);
      await sql`revoke update, delete on log from db_test_events`.execute(db);
    },
  };
  await migrateAll(options);
  const asLogin = (statement: string) => asOwner(loginUrl(ownerUrl, 'events'), statement);
  await asLogin('insert into log values (1)');
  expect(await asLogin('select n from log')).toEqual([{ n: 1 }]);
  await expect(asLogin('update log set n = 2')).rejects.toMatchObject({ code: '42501' });
  await expect(asLogin('delete from log')).rejects.toMatchObject({ code: '42501' });
});

longTest('ten concurrent migrations succeed and leave one history', async () => {
  const ownerUrl = await emptyDatabase();
  await Promise.all(Array.from({ length: 10 }, () => migrateAll(optionsFor(ownerUrl, 'flags', 'events'))));
  const [history] = await asOwner(
    ownerUrl,
    'select (select count(*)::int from flags.migration) as flags, (select count(*)::int from events.migration) as events',
  );
  expect(history).toEqual({ flags: 1, events: 1 });
});

longTest('eight databases of one cluster, which share the roles, can be migrated concurrently', async () => {
  const urls = await Promise.all(Array.from({ length: 8 }, emptyDatabase));
  await Promise.all(urls.map((url) => migrateAll(optionsFor(url, 'flags', 'events'))));
  for (const url of urls) {
    expect(await asOwner(loginUrl(url, 'flags'), 'select count(*)::int as n from outbox_stream')).toEqual([{ n: 1 }]);
  }
});

test('a database that a newer version has migrated is refused and not changed', async () => {
  const ownerUrl = await emptyDatabase();
  await migrateAll(optionsFor(ownerUrl, 'flags', 'events'));
  await asOwner(ownerUrl, "insert into events.migration values ('0009-later', '2026-01-01T00:00:00.000Z')");
  const options = optionsFor(ownerUrl, 'flags', 'events');
  options.services[0]!.set.migrations['0002-more'] = {
    up: async (db) => void (await sql`create table more ()`.execute(db)),
  };
  const refused = migrateAll(options);
  await expect(refused).rejects.toBeInstanceOf(MigrationError);
  await expect(refused).rejects.toThrow(/schema events is newer than this version of Yardarm.*0009-later/);
  // Not even the schema of the service before it has changed.
  expect(await asOwner(ownerUrl, "select to_regclass('flags.more') as more")).toEqual([{ more: null }]);
});

test('a failed migration leaves its schema unchanged, and the error names it', async () => {
  const ownerUrl = await emptyDatabase();
  const options = optionsFor(ownerUrl, 'flags');
  options.services[0]!.set.migrations['0002-broken'] = {
    async up(db) {
      await sql`create table half (n integer)`.execute(db);
      await sql`select 1 / 0`.execute(db);
    },
  };
  await expect(migrateAll(options)).rejects.toThrow(/flags, migration 0002-broken: division by zero/);
  expect(await asOwner(ownerUrl, "select to_regclass('flags.outbox') as created")).toEqual([{ created: null }]);
  await migrateAll(optionsFor(ownerUrl, 'flags'));
});

test('the owner can be a plain role that may create roles and schemas', async () => {
  const ownerUrl = await emptyDatabase();
  const name = `db_test_plain_${randomBytes(4).toString('hex')}`;
  const database = new URL(ownerUrl).pathname.slice(1);
  await asOwner(postgresUrl, `create role ${name} login createrole password 'plain'`);
  await asOwner(postgresUrl, `grant create on database ${database} to ${name}`);
  const url = new URL(ownerUrl);
  url.username = name;
  url.password = 'plain';
  // Separate roles, because the superuser created those of the other tests.
  const login = new URL(url);
  login.username = `${name}_flags`;
  login.password = `it's`;
  const options = { ownerUrl: url.href, services: [{ set: migrationsOf('flags'), loginUrl: login.href }], log: silent };
  await migrateAll(options);
  await migrateAll(options);
  expect(await asOwner(login.href, 'select count(*)::int as n from outbox_stream')).toEqual([{ n: 1 }]);
  await dropDatabase(postgresUrl, created.pop()!);
  await asOwner(postgresUrl, `drop role ${name}_flags; drop role ${name}_flags_owner; drop role ${name}`);
});

test('the error for an owner who may not create roles says so', async () => {
  const ownerUrl = await emptyDatabase();
  const name = `db_test_poor_${randomBytes(4).toString('hex')}`;
  await asOwner(postgresUrl, `create role ${name} login password 'poor'`);
  const url = new URL(ownerUrl);
  url.username = name;
  url.password = 'poor';
  const login = new URL(ownerUrl);
  login.username = `${name}_flags`;
  login.password = 'x';
  const migrating = migrateAll({
    ownerUrl: url.href,
    services: [{ set: migrationsOf('flags'), loginUrl: login.href }],
    log: silent,
  });
  await expect(migrating).rejects.toThrow(/Roles and schemas could not be made.*CREATEROLE/);
  await asOwner(postgresUrl, `drop role ${name}`);
});

test('a login keeps its password, and gets that of its URL only when the operator asks for it', async () => {
  const ownerUrl = await emptyDatabase();
  const name = `db_test_changed_${randomBytes(4).toString('hex')}`;
  const login = new URL(ownerUrl);
  login.username = name;
  const migrating = (password: string, takesOver?: boolean) => {
    login.password = encodeURIComponent(password);
    const services = [{ set: migrationsOf('flags'), loginUrl: login.href }];
    return migrateAll({ ownerUrl, services, log: silent, ...(takesOver !== undefined && { takesOver }) });
  };
  await migrating('first');
  const first = login.href;
  const refused = migrating('zweites-Paßwort ☂');
  await expect(refused).rejects.toBeInstanceOf(MigrationError);
  await expect(refused).rejects.toThrow(new RegExp(`logins ${name}, .*Nothing was changed.*TAKE_OVER_DATABASE=1`));
  await expect(refused).rejects.not.toThrow('Paßwort');
  expect(await asOwner(first, 'select 1 as one')).toEqual([{ one: 1 }]);
  await migrating('zweites-Paßwort ☂', true);
  expect(await asOwner(login.href, 'select 1 as one')).toEqual([{ one: 1 }]);
  await expect(asOwner(first, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  await dropDatabase(postgresUrl, created.pop()!);
  await asOwner(postgresUrl, `drop role ${name}; drop role ${name}_owner`);
});

test('other passwords are refused before anything is made', async () => {
  const name = `db_test_kept_${randomBytes(4).toString('hex')}`;
  await asOwner(postgresUrl, `create role ${name} login password 'theirs'`);
  const ownerUrl = await emptyDatabase();
  const login = new URL(ownerUrl);
  login.username = name;
  login.password = 'ours';
  const services = [
    { set: migrationsOf('events'), loginUrl: loginUrl(ownerUrl, 'events') },
    { set: migrationsOf('flags'), loginUrl: login.href },
  ];
  await expect(migrateAll({ ownerUrl, services, log: silent })).rejects.toThrow(`has the logins ${name},`);
  expect(await asOwner(ownerUrl, "select to_regnamespace('events') as schema")).toEqual([{ schema: null }]);
  await asOwner(postgresUrl, `drop role ${name}`);
});

test('a login that cannot be tried keeps its password, and the log has it', async () => {
  const ownerUrl = await emptyDatabase();
  await migrateAll(optionsFor(ownerUrl, 'flags'));
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const elsewhere = new URL(loginUrl(ownerUrl, 'flags'));
  elsewhere.host = '127.0.0.1:1';
  elsewhere.password = 'another';
  await migrateAll({ ownerUrl, services: [{ set: migrationsOf('flags'), loginUrl: elsewhere.href }], log });
  expect(lines.join()).toContain('could not be tried');
  expect(await asOwner(loginUrl(ownerUrl, 'flags'), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a login that cannot be tried gets the password of its URL when the operator asks for it', async () => {
  const ownerUrl = await emptyDatabase();
  const name = `db_test_untried_${randomBytes(4).toString('hex')}`;
  const login = new URL(ownerUrl);
  Object.assign(login, { username: name, password: 'first' });
  const migrating = (loginUrl: string, takesOver: boolean) =>
    migrateAll({ ownerUrl, services: [{ set: migrationsOf('flags'), loginUrl }], takesOver, log: silent });
  await migrating(login.href, false);
  login.password = 'second';
  const elsewhere = new URL(login.href);
  elsewhere.host = '127.0.0.1:1';
  await migrating(elsewhere.href, true);
  expect(await asOwner(login.href, 'select 1 as one')).toEqual([{ one: 1 }]);
  await dropDatabase(postgresUrl, created.pop()!);
  await asOwner(postgresUrl, `drop role ${name}; drop role ${name}_owner`);
});

test('a login whose password works is left alone', async () => {
  const ownerUrl = await emptyDatabase();
  await migrateAll(optionsFor(ownerUrl, 'flags'));
  const stored = () => asOwner(ownerUrl, "select rolpassword from pg_authid where rolname = 'db_test_flags'");
  const before = await stored();
  expect(before).toEqual([{ rolpassword: expect.stringContaining('SCRAM-SHA-256$') }]);
  await migrateAll(optionsFor(ownerUrl, 'flags'));
  expect(await stored()).toEqual(before);
});

test('two services with one login, and a login that owns the database, are refused', async () => {
  const ownerUrl = await emptyDatabase();
  const shared = optionsFor(ownerUrl, 'flags', 'events');
  shared.services[1]!.loginUrl = shared.services[0]!.loginUrl;
  await expect(migrateAll(shared)).rejects.toThrow('Two services have the login db_test_flags');
  const owning = optionsFor(ownerUrl, 'flags');
  owning.services[0]!.loginUrl = ownerUrl;
  await expect(migrateAll(owning)).rejects.toThrow('cannot be the login of a service');
});

test('the same logins can use a clone of a migrated database', async () => {
  const ownerUrl = await emptyDatabase();
  await migrateAll(optionsFor(ownerUrl, 'flags'));
  const name = `db_${randomBytes(6).toString('hex')}`;
  await asOwner(postgresUrl, `create database ${name} template ${new URL(ownerUrl).pathname.slice(1)}`);
  const clone = new URL(ownerUrl);
  clone.pathname = `/${name}`;
  created.push(clone.href);
  const flags = schemas.connect('flags', { url: loginUrl(clone.href, 'flags') });
  expect(await flags.kysely.selectFrom('outbox_stream').selectAll().execute()).toHaveLength(1);
  await flags.close();
});

test('waits for a server up to a limit, and the error has no password', async () => {
  const url = 'postgres://owner:hidden@127.0.0.1:1/yardarm';
  const reasons: string[] = [];
  const waiting = waitForDatabase({ url, limitMs: 600, onWait: (reason) => reasons.push(reason) });
  await expect(waiting).rejects.toThrow(/127\.0\.0\.1:1\/yardarm has not answered for 1 s .*ECONNREFUSED/);
  expect(reasons).toHaveLength(1);
  await expect(waiting).rejects.not.toThrow('hidden');
  const wrong = new URL(schemas.ownerUrl);
  wrong.password = 'wrong';
  await expect(waitForDatabase({ url: wrong.href, limitMs: 60_000 })).rejects.toThrow('password authentication failed');
});
