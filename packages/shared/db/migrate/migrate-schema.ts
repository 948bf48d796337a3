import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Logger } from '../../log/index.ts';
import { MigrationError, type MigrationSet, migrationLockTable, migrationTable } from './migration-set.ts';
import { recordNeeded } from './schema-state.ts';

/** DDL that waits for a table blocks all later statements on it. It fails, and the operator runs it again. */
const ddlLockTimeoutMs = 10_000;

/** Where the migrations of a set run: as the owner of its schema, at an address whose user may act as that owner. */
export interface OwnedSchema {
  url: string;
  schema: string;
  owner: string;
  /** The service's login role, which may not write the tables of migrations. */
  login: string;
}

export async function withOwner(place: OwnedSchema, fn: (db: Kysely<unknown>) => Promise<void>): Promise<void> {
  const pool = new pg.Pool({
    connectionString: place.url,
    max: 1,
    application_name: 'yardarm-migrate',
    lock_timeout: ddlLockTimeoutMs,
  });
  pool.on('error', () => {});
  pool.on('connect', (connected) => void connected.on('error', () => {}));
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool,
      async onCreateConnection(connection) {
        await connection.executeQuery(sql`set role ${sql.id(place.owner)}`.compile(db));
        await connection.executeQuery(sql`set search_path = ${sql.id(place.schema)}`.compile(db));
      },
    }),
  });
  try {
    await fn(db);
  } finally {
    await db.destroy();
  }
}

/** Throws MigrationError for a schema that a newer version has migrated. */
export async function refuseNewer(db: Kysely<unknown>, { service, migrations }: MigrationSet): Promise<void> {
  const { rows: tables } = await sql`select 1 where to_regclass(${`${service}.${migrationTable}`}) is not null`.execute(
    db,
  );
  if (tables.length === 0) return;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)} order by name`.execute(db);
  const unknown = rows.filter(({ name }) => !Object.hasOwn(migrations, name)).map(({ name }) => name);
  if (unknown.length === 0) return;
  throw new MigrationError(
    `The schema ${service} is newer than this version of Yardarm: it has been migrated by ${unknown.join(', ')}, which this ` +
      `version does not have (its last migration is ${Object.keys(migrations).sort().at(-1) ?? 'none'}). Nothing was changed. Run the newer version.`,
  );
}

/** Applies the migrations that the schema lacks, all of them or none. The caller holds the migration lock. */
export async function migrateSchema(
  db: Kysely<unknown>,
  set: MigrationSet,
  { login }: OwnedSchema,
  log: Logger,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => withNeeded(set) },
    migrationTableName: migrationTable,
    migrationLockTableName: migrationLockTable,
    migrationTableSchema: set.service,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName;
    const where = failed === undefined ? set.service : `${set.service}, migration ${failed}`;
    const { code, message } = error as { code?: string; message?: string };
    const advice =
      code === '55P03' ? ' A table was in use for too long; run the migration again when there is less load.' : '';
    throw new MigrationError(`${where}: ${message ?? String(error)}. Its schema is unchanged.${advice}`, {
      cause: error,
    });
  }
  // Only migrations may write these two tables.
  await sql`revoke insert, update, delete on ${sql.table(migrationTable)}, ${sql.table(migrationLockTable)} from ${sql.id(login)}`.execute(
    db,
  );
  log.info({ schema: set.service, migrations: results.map(({ migrationName }) => migrationName) }, 'migrated');
}

/** The schema states what services need in the transaction of the migration that needs it. */
function withNeeded({ service, migrations }: MigrationSet): Record<string, Migration> {
  const all = Object.entries(migrations).map(([name, { needs, up }]): [string, Migration] => [
    name,
    {
      async up(db) {
        await up(db);
        if (needs !== undefined) await recordNeeded(db, service, needs);
      },
    },
  ]);
  return Object.fromEntries(all);
}
