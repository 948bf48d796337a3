// Proves how a team deploys one service: its roles are provisioned, its process waits, its own login migrates its
// schema, and the process serves without a restart. A process ends when its schema needs a newer one.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileCache, eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../scripts/servers/free-port.ts';

const root = path.resolve(import.meta.dirname, '..');
const name = `schema_${randomBytes(4).toString('hex')}`;
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-schema-'));
const owner = new pg.Client({ connectionString: inject('postgresUrl') });
const children: ChildProcess[] = [];

const urlOf = (role: string) => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  if (role !== '') Object.assign(url, { username: `${name}_${role}`, password: 'test' });
  return url.href;
};
const fileWith = (text: string) => {
  const file = path.join(folder, randomBytes(4).toString('hex'));
  writeFileSync(file, `${text}\n`);
  return file;
};

beforeAll(async () => {
  await owner.connect();
  await owner.query(`create database ${name}`);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await owner.query(`drop database ${name} with (force)`);
  for (const role of ['flags', 'flags_owner']) await owner.query(`drop role if exists ${name}_${role}`);
  await owner.end();
  rmSync(folder, { recursive: true });
});

function start(file: string, words: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [path.join(root, file), ...words], {
    env: { ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream!.on('data', (data) => (output += data));
  return { child, output: () => output };
}

async function run(words: string[], environment: Record<string, string>) {
  const { child, output } = start('scripts/migrate.ts', words, environment);
  const [code] = await once(child, 'close');
  return { code, output: output() };
}

function startFlags(port: number) {
  return start('services/flags/main.ts', [], {
    ...{ NATS_URL: inject('natsUrl'), YARDARM_PREFIX: name.replace('_', '-'), HEALTH_PORT: String(port) },
    DATABASE_URL_FILE: fileWith(urlOf('flags')),
  });
}

async function ask(port: number, place: string) {
  const response = await fetch(`http://127.0.0.1:${port}${place}`);
  return { status: response.status, body: await response.json() };
}

test('a service waits for its schema, which its team migrates alone, and then serves', async () => {
  const port = await freePort();
  const { child } = startFlags(port);
  const parts = (expected: object) =>
    eventually(async () => expect(await ask(port, '/ready')).toMatchObject({ status: 503, body: { parts: expected } }));
  await parts({ database: 'Postgres refuses the login of this service' });
  expect(
    await run(['provision'], {
      ...{ DATABASE_URL: urlOf(''), FLAGS_DATABASE_URL: urlOf('flags') },
      FLAGS_OWNER_DATABASE_URL: urlOf('flags_owner'),
    }),
  ).toMatchObject({ code: 0 });
  await parts({ schema: 'The schema flags has no migrations of Yardarm yet: run npm run migrate -- flags.' });
  expect(await ask(port, '/livez')).toMatchObject({ status: 200 });

  const migrated = await run(['flags'], { FLAGS_OWNER_DATABASE_URL_FILE: fileWith(urlOf('flags_owner')) });
  expect(migrated).toMatchObject({ code: 0, output: expect.stringContaining('0001-flags') });
  await eventually(async () =>
    expect(await ask(port, '/ready')).toMatchObject({ status: 200, body: { parts: { database: null, bus: null } } }),
  );
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a service ends with exit code 2 when its schema needs a newer one', async () => {
  const later = new pg.Client({ connectionString: urlOf('flags_owner') });
  await later.connect();
  await later.query("comment on table flags.migration is 'Services need the migration 0099-later'");
  await later.end();
  const { child, output } = startFlags(await freePort());
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(output()).toContain('it needs a service that knows the migration 0099-later');
});

test('wrong arguments and settings of the migrations end with exit code 2 and a sentence', async () => {
  expect(await run(['payments'], {})).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^migrate: payments is neither provision nor a service with a schema\.\nUsage/),
  });
  expect(await run(['flags'], { FLAGS_OWNER_DATABASE_URL_FILE: '/missing' })).toMatchObject({
    code: 2,
    output: expect.stringContaining('FLAGS_OWNER_DATABASE_URL_FILE: the file /missing cannot be read (ENOENT)'),
  });
});
