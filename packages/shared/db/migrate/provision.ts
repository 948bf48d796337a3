import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../log/index.ts';
import { scramVerifier } from './scram.ts';

/** A service's place in the database: who owns the tables, who reads and writes the rows. */
export interface Place {
  schema: string;
  /** NOLOGIN; owns the schema and the tables, and migrates. */
  owner: string;
  /** The service's own; rights on rows, none to make or change a table. */
  login: string;
  password: string;
  extensions: readonly string[];
}

const id = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/** Each of those who meet at a role needs it for milliseconds: as long as this, hundreds get through. */
const raceLimitMs = 15_000;

/** Makes the roles and the schema of one service, or brings them to what they should be. The caller holds the migration lock. */
export async function provision(client: pg.Client, place: Place, log: Logger): Promise<void> {
  await ensureRole(client, place.owner, 'nologin');
  await ensureRole(client, place.login, 'login');
  await setPassword(client, place);
  await becomeAble(client, place.owner);
  for (const extension of place.extensions) await ensureExtension(client, extension, log);
  await ensureSchema(client, place);
  await grantRows(client, place);
  await ensureSearchPath(client, place);
}

/**
 * What an operator's or an older Postgres's database may allow to everybody: making tables. USAGE of `public` stays, as
 * extensions live there and the database may not be ours alone.
 */
export async function closeToEverybody(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ what: string }>(`
    select 'schema public' as what from pg_namespace, aclexplode(nspacl)
      where nspname = 'public' and grantee = 0 and privilege_type = 'CREATE'
    union all
    select format('database %I', datname) from pg_database, aclexplode(datacl)
      where datname = current_database() and grantee = 0 and privilege_type = 'CREATE'`);
  for (const { what } of rows) await client.query(`revoke create on ${what} from public`);
}

async function ensureRole(client: pg.Client, role: string, kind: 'login' | 'nologin'): Promise<void> {
  const { rows } = await client.query<{ able: boolean }>(
    `select rolcanlogin = ${kind === 'login'} as able from pg_roles where rolname = ${literal(role)}`,
  );
  if (rows[0]?.able) return;
  if (rows[0]) return inCluster(client, `alter role ${id(role)} ${kind}`);
  await inCluster(client, `create role ${id(role)} ${kind}`, ['42710', '23505']);
}

function setPassword(client: pg.Client, { login, password }: Place): Promise<void> {
  return inCluster(client, `alter role ${id(login)} password ${literal(scramVerifier(password) ?? password)}`);
}

/** So that the role of DATABASE_URL may act as the owner of the tables. A superuser may already. */
async function becomeAble(client: pg.Client, owner: string): Promise<void> {
  // Until Postgres 15 a member may always SET ROLE; since then membership says so apart, and whoever made the role has
  // the right to grant it, but not yet to use it.
  const { rows } = await client.query<{ able: boolean }>(`
    select pg_has_role(current_user, ${literal(owner)},
      case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) as able`);
  if (!rows[0]?.able) await inCluster(client, `grant ${id(owner)} to current_user`);
}

/** Extensions make things faster, none is needed; which may be created by whom is the operator's affair. */
async function ensureExtension(client: pg.Client, extension: string, log: Logger): Promise<void> {
  try {
    await client.query(`create extension if not exists ${id(extension)} schema public`);
  } catch (error) {
    log.warn({ err: error, extension }, 'a Postgres extension cannot be created; searches that would use it read more');
  }
}

async function ensureSchema(client: pg.Client, { schema, owner }: Place): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    `select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = ${literal(schema)}`,
  );
  const existing = rows[0]?.owner;
  if (existing === undefined) await client.query(`create schema ${id(schema)} authorization ${id(owner)}`);
  else if (existing !== owner) {
    throw new Error(
      `the schema ${schema} belongs to the role ${existing}, not to ${owner}: ` +
        `give the login URL whose role goes with it, or the schema to that role (ALTER SCHEMA ... OWNER TO)`,
    );
  }
}

/** Rights on rows of all tables that migrations make from here on; a migration takes away what is too much. */
async function grantRows(client: pg.Client, { schema, owner, login }: Place): Promise<void> {
  await client.query(`set role ${id(owner)}`);
  try {
    await client.query(`grant usage on schema ${id(schema)} to ${id(login)}`);
    const defaults = `alter default privileges in schema ${id(schema)} grant`;
    await client.query(`${defaults} select, insert, update, delete on tables to ${id(login)}`);
    await client.query(`${defaults} usage, select on sequences to ${id(login)}`);
  } finally {
    await client.query('reset role');
  }
}

/** For people with psql; the services' connections say it themselves. */
async function ensureSearchPath(client: pg.Client, { schema, login }: Place): Promise<void> {
  const { rows } = await client.query(`
    select 1 from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
        and setrole = (select oid from pg_roles where rolname = ${literal(login)})
        and ${literal(`search_path=${schema}`)} = any (setconfig)`);
  if (rows.length > 0) return;
  const { rows: names } = await client.query<{ name: string }>('select current_database() as name');
  await inCluster(client, `alter role ${id(login)} in database ${id(names[0]!.name)} set search_path = ${id(schema)}`);
}

/**
 * Roles belong to the cluster, the migration lock to one database: another database's migration may change the same role at
 * this moment, and Postgres then refuses one of the two, which does it again. `fine` are SQLSTATEs that mean it is done.
 */
async function inCluster(client: pg.Client, statement: string, fine: string[] = []): Promise<void> {
  const end = performance.now() + raceLimitMs;
  for (;;) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== undefined && fine.includes(code)) return;
      const isRace = message.includes('concurrently') || code === '23505' || code === '40P01';
      if (!isRace || performance.now() > end) throw error;
      await sleep(Math.random() * 50);
    }
  }
}
