import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import type { ServiceName } from '../../contracts/contract.ts';
import type { Logger } from '../../log/index.ts';
import {
  createDatabase,
  createInboxTables,
  createLeaseTables,
  createOutboxTables,
  createRestoresTable,
  type Database,
  type DatabaseOptions,
  type Migration,
  type MigrationSet,
  migrateAll,
  type SharedTables,
} from '../index.ts';

/** A database of one test file, with this package's tables in the named schemas. */
export interface TestSchemas {
  ownerUrl: string;
  urlFor(service: ServiceName): string;
  /** `drop` closes it. */
  connect(service: ServiceName, options?: Partial<DatabaseOptions>): Database<SharedTables>;
  drop(): Promise<void>;
}

export const silent: Logger = pino({ level: 'silent' });

/** Other than in other tests, because these logins would change their passwords. */
const loginPrefix = 'db_test_';
const password = 'db-test';

const tables: Migration = {
  async up(db) {
    await createOutboxTables(db);
    await createInboxTables(db);
    await createLeaseTables(db);
    await createRestoresTable(db);
  },
};

export const migrationsOf = (service: ServiceName): MigrationSet => ({
  service,
  migrations: { '0001-tables': tables },
});

export async function createEmptyDatabase(postgresUrl: string): Promise<string> {
  const name = `db_${randomBytes(6).toString('hex')}`;
  await asOwner(postgresUrl, `create database ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropDatabase(postgresUrl: string, url: string): Promise<void> {
  await asOwner(postgresUrl, `drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

export function loginUrl(ownerUrl: string, service: ServiceName): string {
  const url = new URL(ownerUrl);
  url.username = loginPrefix + service;
  url.password = password;
  return url.href;
}

export async function createTestSchemas(
  postgresUrl: string,
  services: ServiceName[] = ['flags'],
): Promise<TestSchemas> {
  const ownerUrl = await createEmptyDatabase(postgresUrl);
  await migrateAll({
    ownerUrl,
    services: services.map((service) => ({ set: migrationsOf(service), loginUrl: loginUrl(ownerUrl, service) })),
    log: silent,
  });
  const open: Database<SharedTables>[] = [];
  return {
    ownerUrl,
    urlFor: (service) => loginUrl(ownerUrl, service),
    connect(service, options = {}) {
      const db = createDatabase({ url: loginUrl(ownerUrl, service), schema: service, log: silent, ...options });
      open.push(db);
      return db;
    },
    async drop() {
      await Promise.all(open.map((db) => db.close()));
      await dropDatabase(postgresUrl, ownerUrl);
    },
  };
}

/** Runs statements as the user of the URL. Returns the rows of the last one. */
export async function asOwner<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<Row>(text);
    return Array.isArray(result) ? result.at(-1).rows : result.rows;
  } finally {
    await client.end();
  }
}
