import pg from 'pg';
import type { Logger } from '../../log/index.ts';
import { migrateSchema, type OwnedSchema, refuseNewer, withOwner } from './migrate-schema.ts';
import { MigrationError, type MigrationSet } from './migration-set.ts';
import {
  findRefusingLogins,
  provision,
  provisionSystem,
  refuseOtherOwners,
  revokePublicCreate,
  setPassword,
} from './provision.ts';
import {
  loginOfOwner,
  loginsIn,
  otherPasswords,
  refuseUnsafeLogins,
  type ServiceSchema,
  serviceSchemaOf,
} from './service-schema.ts';

/** The roles of a service. */
export interface ServiceRoles {
  set: MigrationSet;
  /** The user and password become the service's login. */
  loginUrl: string;
  /** The user and password become the login of the schema's owner. Without it the owner has no login. */
  ownerUrl?: string;
}

export interface MigrateOptions {
  /** The URL of a superuser, or of a role with CREATEROLE and with CREATE on the database. */
  ownerUrl: string;
  services: ServiceRoles[];
  /** Gives logins that exist the passwords of their URLs. Without it such a login with another password is refused. */
  takesOver?: boolean;
  log: Logger;
}

// An arbitrary number, the same in every version: one migration at a time per database. Kysely has its own, inner lock.
const lockId = '5218660714983620';
/** An hour, as in Kysely: a migration by another process may move a lot of data. */
const lockWaitMs = 60 * 60 * 1_000;

/**
 * Creates roles and schemas and migrates every service's tables, each completely or not at all. It may be called
 * concurrently and repeatedly. Throws MigrationError when the operator has to act.
 */
export async function migrateAll(options: MigrateOptions): Promise<void> {
  const { ownerUrl, services, log } = options;
  await withLock(ownerUrl, async (client) => {
    const places = await provisionServices(client, options);
    const owned = services.map(({ set }, index) => ({ set, place: ownedBy(places[index]!, ownerUrl) }));
    for (const { set, place } of owned) await withOwner(place, (db) => refuseNewer(db, set));
    for (const { set, place } of owned) await withOwner(place, (db) => migrateSchema(db, set, place, log));
  });
}

/**
 * Creates the roles and the schemas of these services, without tables: what only the owner of the database may do. It
 * may be called repeatedly and concurrently. Throws MigrationError when the operator has to act.
 */
export async function provisionAll(options: MigrateOptions): Promise<void> {
  await withLock(options.ownerUrl, async (client) => {
    await provisionServices(client, options);
    options.log.info({ schemas: options.services.map(({ set }) => set.service) }, 'provisioned');
  });
}

/**
 * Migrates one schema, as its owner, who can do nothing else. `ownerUrl` is the login of that role. Throws
 * MigrationError when the schema was not provisioned, or belongs to another role.
 */
export async function migrateOne({ set, ownerUrl, log }: { set: MigrationSet; ownerUrl: string; log: Logger }) {
  await withLock(ownerUrl, async (client) => {
    const owner = await findOwner(client, set.service);
    const place = { url: ownerUrl, schema: set.service, owner, login: loginOfOwner(set.service, owner) };
    await withOwner(place, (db) => refuseNewer(db, set));
    await withOwner(place, (db) => migrateSchema(db, set, place, log));
  });
}

/** Runs `fn` while no other migration of this database runs. */
async function withLock(url: string, fn: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'yardarm-migrate' });
  // When the connection breaks, the next statement fails. Without this listener the process would end.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${lockWaitMs}`);
    await client.query(`select pg_advisory_lock(${lockId})`);
    await fn(client);
  } finally {
    // Ends the session, and the lock with it.
    await client.end();
  }
}

async function provisionServices(
  client: pg.Client,
  { services, takesOver = false, log }: MigrateOptions,
): Promise<ServiceSchema[]> {
  const places = services.map(({ set, loginUrl, ownerUrl }) => serviceSchemaOf(set, loginUrl, ownerUrl));
  await refuseUnsafeLogins(client, places);
  await refuseOtherOwners(client, places);
  const refusing = await findRefusingLogins(client, loginsIn(places), { takesOver, log });
  if (refusing.length > 0 && !takesOver) throw otherPasswords(refusing);
  await explainErrors(async () => {
    for (const login of refusing) await setPassword(client, login);
    await revokePublicCreate(client);
    for (const place of places) await provision(client, place, log);
    await provisionSystem(
      client,
      places.map(({ login }) => login.name),
    );
  });
  return places;
}

function ownedBy({ schema, owner, login }: ServiceSchema, url: string): OwnedSchema {
  return { url, schema, owner, login: login.name };
}

async function findOwner(client: pg.Client, schema: string): Promise<string> {
  const { rows } = await client.query<{ owner: string; user: string }>(
    'select pg_get_userbyid(nspowner)::text as owner, current_user::text as user from pg_namespace where nspname = $1',
    [schema],
  );
  if (rows[0] === undefined) {
    throw new MigrationError(
      `The database has no schema ${schema}. Run npm run migrate -- provision with its owner and the logins of ${schema} first.`,
    );
  }
  const { owner, user } = rows[0];
  if (owner === user) return owner;
  throw new MigrationError(
    `The schema ${schema} belongs to the role ${owner}, not to ${user}: use the login of ${owner}.`,
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
