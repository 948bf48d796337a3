import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../log/index.ts';
import { acceptsLogin } from './accepts-login.ts';
import { MigrationError } from './migration-set.ts';
import { scramVerifier } from './scram.ts';
import type { Login, ServiceSchema } from './service-schema.ts';

const id = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/** SQLSTATEs of a role that another migration has made at the same time. */
const roleExists = ['42710', '23505'];

/** Each concurrent migration needs a role for milliseconds, so that hundreds of them succeed within this time. */
const raceLimitMs = 15_000;

/**
 * Returns the logins that exist and refuse the password of their URL. One that cannot be tried from here, such as one
 * whose host only the services reach, is one of them only when the operator wants the passwords to be set. The log has
 * it.
 */
export async function findRefusingLogins(
  client: pg.Client,
  logins: readonly Login[],
  { takesOver, log }: { takesOver: boolean; log: Logger },
): Promise<Login[]> {
  const { rows } = await client.query<{ rolname: string }>(
    'select rolname from pg_roles where rolcanlogin and rolname = any ($1)',
    [logins.map(({ name }) => name)],
  );
  const existing = new Set(rows.map(({ rolname }) => rolname));
  const refusing: Login[] = [];
  for (const login of logins) {
    if (!existing.has(login.name)) continue;
    const isAccepted = await acceptsLogin(login.url).catch((error: unknown) => {
      const consequence = takesOver ? 'it gets the password of its URL' : 'its password stays as it is';
      log.warn({ err: error, login: login.name }, `a login could not be tried; ${consequence}`);
      return !takesOver;
    });
    if (!isAccepted) refusing.push(login);
  }
  return refusing;
}

/**
 * Creates or updates the roles and the schema of one service. A login that exists keeps its password, and an owner that
 * has a login keeps it. The caller holds the migration lock.
 */
export async function provision(client: pg.Client, place: ServiceSchema, log: Logger): Promise<void> {
  if (place.ownerLogin === null) await ensureOwner(client, place.owner);
  else await ensureLogin(client, place.ownerLogin);
  await ensureLogin(client, place.login);
  await grantOwner(client, place.owner);
  for (const extension of place.extensions) await ensureExtension(client, extension, log);
  await ensureSchema(client, place);
  await grantRows(client, place);
  await ensureSearchPath(client, place);
}

/**
 * Creates the id of the system unless the database has one, and lets the logins read it. A copy of a database has the
 * same id. The caller holds the migration lock.
 */
export async function provisionSystem(client: pg.Client, logins: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('system.identity') is not null as exists",
  );
  // One simple query is one transaction: the table is never without its row.
  if (!rows[0]?.exists) {
    await client.query(`
      create schema if not exists system;
      create table system.identity (
        one boolean not null default true constraint identity_pkey primary key,
        id uuid not null,
        constraint identity_one_row_check check (one)
      );
      insert into system.identity (id) values (gen_random_uuid())`);
  }
  for (const login of logins) {
    const readable = `has_schema_privilege(${literal(login)}, 'system', 'usage')
      and has_table_privilege(${literal(login)}, 'system.identity', 'select')`;
    const { rows: granted } = await client.query<{ readable: boolean }>(`select ${readable} as readable`);
    if (granted[0]?.readable) continue;
    await client.query(`grant usage on schema system to ${id(login)}; grant select on system.identity to ${id(login)}`);
  }
}

/**
 * Revokes CREATE from PUBLIC, which an operator or an older Postgres may have granted. USAGE of the schema `public`
 * remains, because extensions are there and other applications may use the database.
 */
export async function revokePublicCreate(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ what: string }>(`
    select 'schema public' as what from pg_namespace, aclexplode(nspacl)
      where nspname = 'public' and grantee = 0 and privilege_type = 'CREATE'
    union all
    select format('database %I', datname) from pg_database, aclexplode(datacl)
      where datname = current_database() and grantee = 0 and privilege_type = 'CREATE'`);
  for (const { what } of rows) await client.query(`revoke create on ${what} from public`);
}

async function ensureOwner(client: pg.Client, owner: string): Promise<void> {
  const { rows } = await client.query(`select 1 from pg_roles where rolname = ${literal(owner)}`);
  if (rows.length === 0) await inCluster(client, `create role ${id(owner)} nologin`, roleExists);
}

/** One statement gives the login and the password, so that no login without a password is left behind. */
async function ensureLogin(client: pg.Client, login: Login): Promise<void> {
  const { rows } = await client.query<{ rolcanlogin: boolean }>(
    `select rolcanlogin from pg_roles where rolname = ${literal(login.name)}`,
  );
  if (rows[0]?.rolcanlogin) return;
  const options = `login password ${passwordOf(login)}`;
  if (rows[0]) await inCluster(client, `alter role ${id(login.name)} ${options}`);
  else await inCluster(client, `create role ${id(login.name)} ${options}`, roleExists);
}

/** Gives a login the password of its URL. Every system that uses another one stops working. */
export function setPassword(client: pg.Client, login: Login): Promise<void> {
  return inCluster(client, `alter role ${id(login.name)} password ${passwordOf(login)}`);
}

function passwordOf({ password }: Login): string {
  return literal(scramVerifier(password) ?? password);
}

/** Lets the role of DATABASE_URL act as the owner of the tables. A superuser may do so without a grant. */
async function grantOwner(client: pg.Client, owner: string): Promise<void> {
  // Up to Postgres 15 a member may always SET ROLE. Later versions have a separate option of the membership. The
  // creator of the role may grant it but not yet use it.
  const { rows } = await client.query<{ allowed: boolean }>(`
    select pg_has_role(current_user, ${literal(owner)},
      case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) as allowed`);
  if (!rows[0]?.allowed) await inCluster(client, `grant ${id(owner)} to current_user`);
}

/** Extensions are optional. The operator decides who may create which. */
async function ensureExtension(client: pg.Client, extension: string, log: Logger): Promise<void> {
  try {
    await client.query(`create extension if not exists ${id(extension)} schema public`);
  } catch (error) {
    log.warn({ err: error, extension }, 'a Postgres extension cannot be created; searches that use it will be slower');
  }
}

/**
 * Refuses a schema of another owner, before any role is made: a wrong user in a URL would leave a login behind. The
 * caller holds the migration lock.
 */
export async function refuseOtherOwners(client: pg.Client, places: readonly ServiceSchema[]): Promise<void> {
  for (const { schema, owner } of places) {
    const existing = await findSchemaOwner(client, schema);
    if (existing === undefined || existing === owner) continue;
    throw new MigrationError(
      `The schema ${schema} belongs to the role ${existing}, not to ${owner}: use the login URL that belongs to that ` +
        'role, or change the owner (ALTER SCHEMA ... OWNER TO). Nothing was changed.',
    );
  }
}

async function findSchemaOwner(client: pg.Client, schema: string): Promise<string | undefined> {
  const { rows } = await client.query<{ owner: string }>(
    `select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = ${literal(schema)}`,
  );
  return rows[0]?.owner;
}

async function ensureSchema(client: pg.Client, { schema, owner }: ServiceSchema): Promise<void> {
  if ((await findSchemaOwner(client, schema)) === undefined)
    await client.query(`create schema ${id(schema)} authorization ${id(owner)}`);
}

/** Grants rights on rows of all tables that migrations will create. A migration may revoke some of them. */
async function grantRows(client: pg.Client, { schema, owner, login }: ServiceSchema): Promise<void> {
  await client.query(`set role ${id(owner)}`);
  try {
    await client.query(`grant usage on schema ${id(schema)} to ${id(login.name)}`);
    const defaults = `alter default privileges in schema ${id(schema)} grant`;
    await client.query(`${defaults} select, insert, update, delete on tables to ${id(login.name)}`);
    await client.query(`${defaults} usage, select on sequences to ${id(login.name)}`);
  } finally {
    await client.query('reset role');
  }
}

/** For people with psql. The services' connections set their search path themselves. */
async function ensureSearchPath(client: pg.Client, { schema, login }: ServiceSchema): Promise<void> {
  const { rows } = await client.query(`
    select 1 from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
        and setrole = (select oid from pg_roles where rolname = ${literal(login.name)})
        and ${literal(`search_path=${schema}`)} = any (setconfig)`);
  if (rows.length > 0) return;
  const { rows: names } = await client.query<{ name: string }>('select current_database() as name');
  await inCluster(
    client,
    `alter role ${id(login.name)} in database ${id(names[0]!.name)} set search_path = ${id(schema)}`,
  );
}

/**
 * Runs a statement on roles. Roles belong to the cluster, the migration lock to one database: a migration of another
 * database may change the same role at this moment. Postgres refuses one of the two, which retries. `accepted` are
 * SQLSTATEs that mean the work is done.
 */
async function inCluster(client: pg.Client, statement: string, accepted: string[] = []): Promise<void> {
  const end = performance.now() + raceLimitMs;
  for (;;) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== undefined && accepted.includes(code)) return;
      const isRace = message.includes('concurrently') || code === '23505' || code === '40P01';
      if (!isRace || performance.now() > end) throw error;
      await sleep(Math.random() * 50);
    }
  }
}
