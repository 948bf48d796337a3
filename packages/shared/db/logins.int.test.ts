// Proves that a password changes while connections are opened, without a failed statement, in the order of
// docs/operating.md. config/login-choice.test.ts asserts the choice of a line.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loginsOf } from '../config/index.ts';
import { createLogger } from '../log/index.ts';
import { createDatabase, sql } from './index.ts';
import { asOwner, createTestSchemas, type TestSchemas } from './testing/test-schemas.ts';

const postgresUrl = inject('postgresUrl');
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-logins-'));
const file = path.join(folder, 'database-url');
const roles = ['first', 'second'].map((name) => `db_logins_${name}_${randomBytes(4).toString('hex')}`);
let schemas: TestSchemas;

beforeAll(async () => {
  schemas = await createTestSchemas(postgresUrl);
  for (const role of roles)
    await asOwner(postgresUrl, `create role ${role} login password 'old' in role db_test_flags`);
});
afterAll(async () => {
  await schemas?.drop();
  for (const role of roles) await asOwner(postgresUrl, `drop role ${role}`);
  rmSync(folder, { recursive: true });
});

const [first, second] = roles as [string, string];
const urlOf = (role: string, password: string) => {
  const url = new URL(schemas.urlFor('flags'));
  Object.assign(url, { username: role, password });
  return url.href;
};
const write = (...urls: string[]) => writeFileSync(file, `${urls.join('\n')}\n`);
const change = (role: string, password: string) => asOwner(postgresUrl, `alter role ${role} password '${password}'`);

function open() {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const logins = loginsOf('postgres://unused', file);
  const db = createDatabase({ url: 'postgres://unused', logins, schema: 'flags', log, maxConnections: 16 });
  /** As many connections as statements: each is busy until all of them have begun. */
  const useConnections = async (count: number) => {
    const busy = sql<{ user: string }>`select current_user as user, pg_sleep(0.3)`;
    const results = await Promise.all(Array.from({ length: count }, () => busy.execute(db.kysely)));
    return new Set(results.map(({ rows }) => rows[0]!.user));
  };
  return { db, lines, useConnections };
}

test('the password of a login changes while connections are opened, and no statement fails', async () => {
  write(urlOf(first, 'old'));
  const { db, lines, useConnections } = open();
  await useConnections(2);
  write(urlOf(first, 'new'), urlOf(first, 'old'));
  await useConnections(6);
  await change(first, 'new');
  await useConnections(10);
  write(urlOf(first, 'new'));
  await useConnections(14);
  await db.ping();
  expect(lines).toEqual([]);
  await db.close();
});

test('another login takes over while connections are opened, and no statement fails', async () => {
  write(urlOf(first, 'unknown'), urlOf(second, 'old'));
  const { db, useConnections } = open();
  expect(await useConnections(4)).toEqual(new Set([second]));
  await change(first, 'unknown');
  write(urlOf(first, 'unknown'));
  expect(await useConnections(8)).toEqual(new Set([second, first]));
  await db.close();
});

test('when every login is refused, statements are unavailable, the log has one line, and the file repairs it', async () => {
  write(urlOf(first, 'wrong'), urlOf(second, 'wrong'));
  const { db, lines, useConnections } = open();
  await expect(useConnections(3)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(db.ping()).rejects.toMatchObject({ code: 'unavailable' });
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([expect.stringContaining('refuses the login')]);
  expect(lines.join()).not.toContain('wrong');
  write(urlOf(second, 'old'));
  await eventually(() => db.ping());
  await db.close();
});
