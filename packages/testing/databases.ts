import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@yardarm/shared/contracts';
import pg from 'pg';
import { inject } from 'vitest';
import { eventually } from './eventually.ts';

export const templateName = 'yardarm_template';

/** The password of the login roles. They exist as long as the run's server, which listens on loopback. */
const password = 'test';

export interface TestDatabase {
  /** The URL with the superuser's login. */
  ownerUrl: string;
  urlFor(service: ServiceName): string;
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Ends all sessions, which report their deadlocks then, and returns the number of deadlocks so far. */
  countDeadlocks(): Promise<number>;
  /** Lets the leases of a service expire, as they do some seconds after the death of their holder. */
  expireLeases(service: ServiceName): Promise<void>;
  /** Ends the owner's connections until the next statement, for a copy of the database, which may have none. */
  disconnect(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Clones the template of a server, by default the run's. A clone of the migrated database takes a fraction of a second.
 * `template1` gives a database without schemas.
 */
export async function createTestDatabase(
  postgresUrl: string = inject('postgresUrl'),
  template: string = templateName,
): Promise<TestDatabase> {
  const name = `t_${randomBytes(6).toString('hex')}`;
  const ownerUrl = within(postgresUrl, name);
  const server = serverPool(postgresUrl);
  // Postgres's own way writes each block to the WAL, which takes twice the CPU.
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  let owner = ownerPool(ownerUrl);
  return {
    ownerUrl,
    urlFor: (service) => loginUrl(postgresUrl, name, service),
    rows: async (text, values = []) => (await owner.query(text, values)).rows,
    countDeadlocks: () => countDeadlocks(ownerUrl),
    expireLeases: async (service) =>
      void (await owner.query(`UPDATE ${service}.lease SET expires_at = clock_timestamp()`)),
    async disconnect() {
      const ended = owner;
      owner = ownerPool(ownerUrl);
      await ended.end();
    },
    async drop() {
      await owner.end();
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/**
 * Connections that stay open for the next statement: to open one takes 20 to 40 ms of CPU. A statement that waits for a
 * lock holds up no other. A connection that a test has ended is replaced.
 */
function ownerPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 5, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  return pool;
}

const serverPools = new Map<string, pg.Pool>();

/** That of a server's databases. It ends with the server. */
function serverPool(postgresUrl: string): pg.Pool {
  const pool = serverPools.get(postgresUrl) ?? ownerPool(postgresUrl);
  serverPools.set(postgresUrl, pool);
  return pool;
}

async function countDeadlocks(url: string): Promise<number> {
  const ended = await query<{ pid: number }>(
    url,
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  await eventually(async () => {
    const open = await query(url, 'select from pg_stat_activity where pid = any($1)', [ended.map(({ pid }) => pid)]);
    if (open.length > 0) throw new Error(`${open.length} sessions are still open.`);
  });
  const counted = 'select deadlocks::integer from pg_stat_database where datname = current_database()';
  const [row] = await query<{ deadlocks: number }>(url, counted);
  return row!.deadlocks;
}

export function within(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

export function loginUrl(url: string, database: string, service: ServiceName): string {
  const changed = new URL(within(url, database));
  changed.username = `yardarm_${service}`;
  changed.password = password;
  return changed.href;
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
