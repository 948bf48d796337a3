import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { ServiceName } from '../../contracts/contract.ts';
import type { Logger } from '../../log/index.ts';
import {
  findRefusingLogins,
  provision,
  provisionSystem,
  revokePublicCreate,
  type ServiceSchema,
  setPassword,
} from './provision.ts';

export type { Migration } from 'kysely/migration';

/** The migrations of one service, in the order of their keys ('0001-...'). */
export interface MigrationSet {
  service: ServiceName;
  migrations: Record<string, Migration>;
  /** Optional extensions that make the service faster, such as pg_trgm. Created in `public` before the migrations. */
  extensions?: readonly string[];
  /**
   * What a restored database needs (after-restore.ts), as the owner of the schema. It may be repeated. The log returns
   * its newest event.
   */
  afterRestore?(db: Kysely<unknown>, epoch: string): Promise<{ id: number; hash: string } | null>;
}

export interface MigrateOptions {
  /** The URL of a superuser, or of a role with CREATEROLE and with CREATE on the database. */
  ownerUrl: string;
  /** The user and password of `loginUrl` become the service's login. */
  services: { set: MigrationSet; loginUrl: string }[];
  /** Gives logins that exist the passwords of their URLs. Without it such a login with another password is refused. */
  takesOver?: boolean;
  log: Logger;
}

/** Migration cannot continue. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

// An arbitrary number, the same in every version: one migration at a time per database. Kysely has its own, inner lock.
const lockId = '5218660714983620';
/** An hour, as in Kysely: a migration by another process may move a lot of data. */
const lockWaitMs = 60 * 60 * 1_000;
/** DDL that waits for a table blocks all later statements on it. It fails, and the operator runs it again. */
const ddlLockTimeoutMs = 10_000;

const migrationTable = 'migration';
const migrationLockTable = 'migration_lock';

/**
 * Creates roles and schemas and migrates every service's tables, each completely or not at all. It may be called
 * concurrently and repeatedly. Throws MigrationError when the operator has to act.
 */
export async function migrateAll({ ownerUrl, services, takesOver = false, log }: MigrateOptions): Promise<void> {
  const works = services.map(({ set, loginUrl }) => ({ set, place: placeOf(set, loginUrl) }));
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'yardarm-migrate' });
  // When the connection breaks, the next statement fails. Without this listener the process would end.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${lockWaitMs}`);
    await client.query(`select pg_advisory_lock(${lockId})`);
    await refuseUnsafeLogins(client, works);
    const refusing = await findRefusingLogins(
      client,
      works.map(({ place }) => place),
      log,
    );
    if (refusing.length > 0 && !takesOver) throw otherPasswords(refusing);
    await explainErrors(async () => {
      for (const place of refusing) await setPassword(client, place);
      await revokePublicCreate(client);
      for (const { place } of works) await provision(client, place, log);
      await provisionSystem(
        client,
        works.map(({ place }) => place.login),
      );
    });
    for (const { set, place } of works) await withOwner(ownerUrl, place, (db) => refuseNewer(db, set));
    for (const { set, place } of works) await withOwner(ownerUrl, place, (db) => migrate(db, set, place, log));
  } finally {
    // Ends the session, and the lock with it.
    await client.end();
  }
}

interface Work {
  set: MigrationSet;
  place: ServiceSchema;
}

function placeOf(set: MigrationSet, loginUrl: string): ServiceSchema {
  const { username, password } = new URL(loginUrl);
  if (username === '' || password === '') {
    throw new MigrationError(`The login URL of ${set.service} names no user with a password: both become its login.`);
  }
  const login = decodeURIComponent(username);
  return {
    schema: set.service,
    login,
    owner: `${login}_owner`,
    password: decodeURIComponent(password),
    loginUrl,
    extensions: set.extensions ?? [],
  };
}

/** A login that two services share, or that is a superuser, could read the tables of other services. */
async function refuseUnsafeLogins(client: pg.Client, works: Work[]): Promise<void> {
  const logins = works.map(({ place }) => place.login);
  const shared = logins.find((login, index) => logins.indexOf(login) !== index);
  if (shared !== undefined) {
    throw new MigrationError(
      `Two services have the login ${shared}: each needs its own, which can read its own schema only.`,
    );
  }
  const { rows } = await client.query<{ rolname: string }>(
    'select rolname from pg_roles where rolname = any ($1) and (rolsuper or rolname = current_user)',
    [logins],
  );
  if (rows[0]) {
    throw new MigrationError(
      `${rows[0].rolname} owns the database or is a superuser, so it cannot be the login of a service: name another user.`,
    );
  }
}

/** Another system may use the logins with their present passwords. */
function otherPasswords(refusing: readonly ServiceSchema[]): MigrationError {
  const logins = refusing.map(({ login }) => login).join(', ');
  return new MigrationError(
    `The database has the logins ${logins}, and they do not accept the passwords of their URLs. Nothing was changed. ` +
      'Another Yardarm may use them. Use the passwords that they were made with, or stop the other and set ' +
      'YARDARM_TAKE_OVER_DATABASE=1, which gives them these passwords.',
  );
}

async function explainErrors(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const advice =
      code === '42501'
        ? ' The role of DATABASE_URL must be a superuser, or have CREATEROLE and CREATE on the database and have created the roles itself.'
        : '';
    throw new MigrationError(`Roles and schemas could not be made: ${message}.${advice}`, { cause: error });
  }
}

async function withOwner(
  ownerUrl: string,
  place: ServiceSchema,
  fn: (db: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  const pool = new pg.Pool({
    connectionString: ownerUrl,
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

async function refuseNewer(db: Kysely<unknown>, { service, migrations }: MigrationSet): Promise<void> {
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

async function migrate(db: Kysely<unknown>, set: MigrationSet, { login }: ServiceSchema, log: Logger): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => set.migrations },
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
