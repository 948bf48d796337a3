// Proves that a service waits for its schema, connects to NATS only afterwards, and refuses one that is too new. The
// process and its /ready are tested in e2e/schema.long.test.ts.
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Bus } from '../bus/index.ts';
import { ConfigError } from '../config/index.ts';
import { type MigrationSet, migrateAll, provisionAll, sql } from '../db/index.ts';
import {
  asOwner,
  createEmptyDatabase,
  dropDatabase,
  loginUrl,
  migrationsOf,
  silent,
} from '../db/testing/test-schemas.ts';
import { createLogger } from '../log/index.ts';
import type { Settings } from './follow-settings.ts';
import { openResources } from './with-database.ts';

const postgresUrl = inject('postgresUrl');
let databaseUrl: string;
/** They ask once a second until they are stopped. */
const followed: Settings[] = [];
beforeEach(async () => {
  databaseUrl = await createEmptyDatabase(postgresUrl);
});
afterEach(() => {
  for (const settings of followed.splice(0)) settings.stop();
  return dropDatabase(postgresUrl, databaseUrl);
});

const makeTable = (name: string) => ({
  up: async (db: Parameters<MigrationSet['migrations'][string]['up']>[0]) =>
    void (await sql`create table ${sql.id(name)} ()`.execute(db)),
});
const older = migrationsOf('flags');
const present: MigrationSet = { ...older, migrations: { ...older.migrations, '0002-more': makeTable('more') } };

const roles = (set: MigrationSet) => ({
  ownerUrl: databaseUrl,
  services: [{ set, loginUrl: loginUrl(databaseUrl, 'flags') }],
  log: silent,
});

/** Opens the resources of a service with these migrations, on a bus that only counts its connections and is away. */
function open(set: MigrationSet, url = loginUrl(databaseUrl, 'flags'), log = silent) {
  const waits: unknown[] = [];
  let connections = 0;
  const bus = {
    ...{ state: () => ({ connected: true, problem: null }), streamProblem: () => null },
    ...{ onHint: () => {}, onStatus: () => () => {}, request: () => Promise.reject(new Error('away')) },
  } as unknown as Bus;
  const config = { NATS_URL: 'nats://unused', YARDARM_PREFIX: '', DATABASE_URL: url, DATABASE_MAX_CONNECTIONS: 1 };
  const opening = openResources(set, config, log, {
    onWaiting: (parts) => waits.push(parts),
    async connectBus() {
      connections += 1;
      return bus;
    },
  }).then((resources) => {
    followed.push(resources.settings);
    return resources;
  });
  return { opening, waits, connections: () => connections };
}

test('a service waits until its schema is there and complete, and connects to NATS only then', async () => {
  await provisionAll(roles(present));
  const { opening, waits, connections } = open(present);
  await eventually(() =>
    expect(waits.at(-1)).toEqual({
      schema: 'The schema flags has no migrations of Yardarm yet: run npm run migrate -- flags.',
    }),
  );
  await migrateAll(roles(older));
  await eventually(() =>
    expect(waits.at(-1)).toEqual({
      schema: 'The schema flags is older than this version: it lacks 0002-more. Run npm run migrate -- flags.',
    }),
  );
  expect(connections()).toBe(0);
  await migrateAll(roles(present));
  const { db, health } = await opening;
  expect(waits.at(-1)).toBeNull();
  expect(connections()).toBe(1);
  expect(await health()).toEqual({ database: null, bus: null });
  await db.close();
});

test('a service waits while Postgres refuses its login', async () => {
  const url = new URL(loginUrl(databaseUrl, 'flags'));
  url.username = `db_test_absent_${Date.now()}`;
  const { opening, waits } = open(older, url.href);
  await eventually(() => expect(waits.at(-1)).toEqual({ database: 'Postgres refuses the login of this service' }));
  await asOwner(postgresUrl, `create role ${url.username} login superuser password '${url.password}'`);
  await migrateAll(roles(older));
  await (await opening).db.close();
  await asOwner(postgresUrl, `drop role ${url.username}`);
});

test('a service refuses the login of another service', async () => {
  const events = { set: migrationsOf('events'), loginUrl: loginUrl(databaseUrl, 'events') };
  await migrateAll({ ...roles(older), services: [...roles(older).services, events] });
  const refused = open(older, events.loginUrl);
  await expect(refused.opening).rejects.toBeInstanceOf(ConfigError);
  await expect(refused.opening).rejects.toThrow(
    'DATABASE_URL is the login of events, which may not read the schema flags: set it to the login of flags.',
  );
  expect(refused.connections()).toBe(0);
});

test('a service warns once of a login that can drop its tables, and not of its own', async () => {
  await migrateAll(roles(older));
  for (const [url, warnings] of [
    [
      databaseUrl,
      [expect.stringMatching(/^DATABASE_URL is a login that owns the schema flags and can drop its tables/)],
    ],
    [loginUrl(databaseUrl, 'flags'), []],
  ] as const) {
    const lines: string[] = [];
    const log = createLogger({
      service: 'test',
      level: 'warn',
      destination: { write: (line) => void lines.push(line) },
    });
    await (await open(older, url, log).opening).db.close();
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(warnings);
  }
});

test('a service runs on the schema of the next release', async () => {
  await migrateAll(roles(present));
  const { db } = await open(older).opening;
  await db.close();
});

test('a service refuses a schema that needs a migration that it does not know, and a failed one states nothing', async () => {
  const third = { '0003-dropped': { ...makeTable('third'), needs: '0002-more' } };
  const failing = { '0004-fails': { up: async () => Promise.reject(new Error('fails')), needs: '0003-dropped' } };
  await migrateAll(roles(present));
  const withFailing = { ...present, migrations: { ...present.migrations, ...third, ...failing } };
  await expect(migrateAll(roles(withFailing))).rejects.toThrow('0004-fails');
  await (await open(older).opening).db.close();

  const later = { ...present, migrations: { ...present.migrations, ...third } };
  await migrateAll(roles(later));
  const refused = open(older);
  await expect(refused.opening).rejects.toBeInstanceOf(ConfigError);
  await expect(refused.opening).rejects.toThrow(
    'needs a service that knows the migration 0002-more, and the last one of this version is 0001-tables',
  );
  expect(refused.connections()).toBe(0);
  await (await open(present).opening).db.close();
});
