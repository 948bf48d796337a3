// Proves that provisioning and the migration of one service are apart: what each needs, what it may do, and how each is
// refused. migrate.int.test.ts asserts both in one.

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { MigrationError, migrateAll, migrateOne, provisionAll, sql } from '../index.ts';
import { asOwner, createEmptyDatabase, dropDatabase, migrationsOf, silent } from '../testing/test-schemas.ts';

const postgresUrl = inject('postgresUrl');
let databaseUrl: string;
/** Before the names of roles, which belong to the whole server. */
let prefix: string;

beforeEach(async () => {
  databaseUrl = await createEmptyDatabase(postgresUrl);
  prefix = `db_one_${randomBytes(4).toString('hex')}`;
});
afterEach(async () => {
  await dropDatabase(postgresUrl, databaseUrl);
  const roles = await asOwner<{ rolname: string }>(
    postgresUrl,
    `select rolname from pg_roles where rolname like '${prefix}%'`,
  );
  // The creator of a role may depend on it, so that it is dropped last.
  const names = roles.map(({ rolname }) => rolname).sort((one, other) => other.length - one.length);
  for (const name of names) await asOwner(postgresUrl, `drop owned by ${name}; drop role ${name}`);
});

function urlOf(role: string, password = 'first'): string {
  const url = new URL(databaseUrl);
  url.username = `${prefix}_${role}`;
  url.password = password;
  return url.href;
}

type Name = 'flags' | 'events';
const rolesOf = (service: Name, password?: string) => ({
  set: migrationsOf(service),
  loginUrl: urlOf(service, password),
  ownerUrl: urlOf(`${service}_owner`, password),
});
const provision = (...services: Name[]) =>
  provisionAll({ ownerUrl: databaseUrl, services: services.map((name) => rolesOf(name)), log: silent });
const migrate = (service: Name, ownerUrl = urlOf(`${service}_owner`)) =>
  migrateOne({ set: migrationsOf(service), ownerUrl, log: silent });
const tablesOf = (schema: Name) =>
  asOwner<{ name: string }>(
    databaseUrl,
    `select tablename as name from pg_tables where schemaname = '${schema}' order by 1`,
  );

test('the owner of a schema migrates it without the owner of the database, and no other schema changes', async () => {
  await provision('flags', 'events');
  expect(await tablesOf('flags')).toEqual([]);
  await migrate('flags');
  expect(await asOwner(urlOf('flags'), 'select count(*)::int as n from outbox_stream')).toEqual([{ n: 1 }]);
  expect(await tablesOf('events')).toEqual([]);
  await migrate('events');
  expect((await tablesOf('events')).length).toBeGreaterThan(3);
  await expect(asOwner(urlOf('flags'), 'delete from migration')).rejects.toMatchObject({ code: '42501' });
});

test('Postgres refuses the owner of a schema everything outside of it', async () => {
  await provision('flags', 'events');
  await migrate('events');
  for (const statement of [
    'select * from events.outbox',
    'create table events.mine (n integer)',
    'create table public.mine (n integer)',
    'create schema mine',
    `set role ${prefix}_events`,
    `create role ${prefix}_mine`,
    'update system.identity set id = gen_random_uuid()',
  ]) {
    await expect(asOwner(urlOf('flags_owner'), statement), statement).rejects.toMatchObject({ code: '42501' });
  }
});

test('services are provisioned one after another, and repeatedly', async () => {
  await provision('flags');
  await migrate('flags');
  await provision('events');
  await provision('flags', 'events');
  await Promise.all([migrate('flags'), migrate('events'), migrate('flags')]);
  expect(await asOwner(urlOf('events'), 'select count(*)::int as n from system.identity')).toEqual([{ n: 1 }]);
});

test('an owner that has a login keeps it when all is migrated as before', async () => {
  await provision('flags');
  const { ownerUrl: _, ...roles } = rolesOf('flags');
  await migrateAll({ ownerUrl: databaseUrl, services: [roles], log: silent });
  await migrate('flags');
});

test('an owner without a login gets one from its URL', async () => {
  const { ownerUrl: _, ...roles } = rolesOf('flags');
  await migrateAll({ ownerUrl: databaseUrl, services: [roles], log: silent });
  await expect(migrate('flags')).rejects.toMatchObject({ code: '28P01' });
  await provision('flags');
  await migrate('flags');
});

test("an owner's other password is refused, and given only when the operator asks for it", async () => {
  await provision('flags');
  const services = [rolesOf('flags', 'second')];
  const refused = provisionAll({ ownerUrl: databaseUrl, services, log: silent });
  await expect(refused).rejects.toThrow(`logins ${prefix}_flags, ${prefix}_flags_owner, and they do not accept`);
  await migrate('flags');
  await provisionAll({ ownerUrl: databaseUrl, services, takesOver: true, log: silent });
  await migrate('flags', urlOf('flags_owner', 'second'));
});

test('a plain role that owns the database and may create roles can provision', async () => {
  const owner = `${prefix}_plain`;
  await asOwner(postgresUrl, `create role ${owner} login createrole password 'first'`);
  await asOwner(postgresUrl, `alter database ${new URL(databaseUrl).pathname.slice(1)} owner to ${owner}`);
  const provisioning = () => provisionAll({ ownerUrl: urlOf('plain'), services: [rolesOf('flags')], log: silent });
  await provisioning();
  await migrate('flags');
  await provisioning();
  expect(await asOwner(urlOf('flags'), 'select count(*)::int as n from outbox_stream')).toEqual([{ n: 1 }]);
});

test('a schema that was not provisioned, or that belongs to another role, is refused in a sentence', async () => {
  await provision('flags');
  const missing = migrateOne({ set: migrationsOf('events'), ownerUrl: urlOf('flags_owner'), log: silent });
  await expect(missing).rejects.toThrow(/no schema events\. Run npm run migrate -- provision/);
  const login = migrate('flags', urlOf('flags'));
  await expect(login).rejects.toBeInstanceOf(MigrationError);
  await expect(login).rejects.toThrow(`belongs to the role ${prefix}_flags_owner, not to ${prefix}_flags:`);
  await expect(migrate('flags', databaseUrl)).rejects.toThrow(`belongs to the role ${prefix}_flags_owner`);
  expect(await tablesOf('flags')).toEqual([]);
});

test('an owner URL of another user, and one without a password, are refused before anything is made', async () => {
  const provisioning = (ownerUrl: string) =>
    provisionAll({ ownerUrl: databaseUrl, services: [{ ...rolesOf('flags'), ownerUrl }], log: silent });
  await expect(provisioning(urlOf('other'))).rejects.toThrow(`It should be ${prefix}_flags_owner`);
  await expect(provisioning(urlOf('flags_owner', ''))).rejects.toThrow('owner URL of flags names no user with a');
  expect(await asOwner(databaseUrl, "select to_regnamespace('flags') as schema")).toEqual([{ schema: null }]);
});

test('a schema of another owner is refused before any role is made', async () => {
  await provision('flags');
  const services = [{ set: migrationsOf('flags'), loginUrl: urlOf('mistyped') }];
  const provisioning = provisionAll({ ownerUrl: databaseUrl, services, log: silent });
  await expect(provisioning).rejects.toThrow(
    `belongs to the role ${prefix}_flags_owner, not to ${prefix}_mistyped_owner`,
  );
  const made = `select rolname from pg_roles where rolname like '${prefix}_mistyped%'`;
  expect(await asOwner(databaseUrl, made)).toEqual([]);
});

test('a service that is migrated alone is refused a schema that a newer version has migrated', async () => {
  await provision('flags');
  await migrate('flags');
  await asOwner(databaseUrl, "insert into flags.migration values ('0009-later', '2026-01-01T00:00:00.000Z')");
  const set = migrationsOf('flags');
  set.migrations['0002-more'] = { up: async (db) => void (await sql`create table more ()`.execute(db)) };
  await expect(migrateOne({ set, ownerUrl: urlOf('flags_owner'), log: silent })).rejects.toThrow(/newer.*0009-later/);
  expect(await tablesOf('flags')).not.toContainEqual({ name: 'more' });
});
