import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { MigrationSet } from './migration-set.ts';

export interface AfterRestore {
  epoch: string;
  /** The newest event of the restored log, and its hash. */
  lastEvent: { id: number; hash: string };
}

/** The command cannot be done now. The message is for the operator. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/**
 * Begins an epoch of a restored database (restores.ts), in one transaction for all schemas. Another call begins another
 * epoch, which does no harm. Throws RestoreError while a service is connected, because it would go on in its epoch.
 */
export async function afterRestore(ownerUrl: string, sets: readonly MigrationSet[]): Promise<AfterRestore> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, application_name: 'yardarm-after-restore' });
  pool.on('error', () => {});
  pool.on('connect', (connected) => void connected.on('error', () => {}));
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await db.transaction().execute((trx) => beginEpoch(trx, sets));
  } finally {
    await db.destroy();
  }
}

async function beginEpoch(trx: Kysely<unknown>, sets: readonly MigrationSet[]): Promise<AfterRestore> {
  const epoch = randomUUID();
  const owners = await findOwners(trx, sets);
  await refuseWhileConnected(trx, [...owners.values()]);
  let lastEvent = { id: 0, hash: '' };
  for (const set of sets) {
    await actAs(trx, set, owners);
    await sql`insert into restores (epoch) values (${epoch})`.execute(trx);
    lastEvent = (await set.afterRestore?.(trx, epoch)) ?? lastEvent;
  }
  return { epoch, lastEvent };
}

async function findOwners(trx: Kysely<unknown>, sets: readonly MigrationSet[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ schema: string; owner: string }>`
    select nspname as schema, pg_get_userbyid(nspowner)::text as owner from pg_namespace
    where nspname = any (${sets.map(({ service }) => service)}::text[])
      and to_regclass(format('%I.restores', nspname)) is not null`.execute(trx);
  const owners = new Map(rows.map(({ schema, owner }) => [schema, owner]));
  const missing = sets.find(({ service }) => !owners.has(service));
  if (missing === undefined) return owners;
  throw new RestoreError(
    `The schema ${missing.service} is missing, or of an earlier version: restore the database of DATABASE_URL and migrate it first.`,
  );
}

/** The owner of a schema has the name of the service's login and `_owner`. */
async function refuseWhileConnected(trx: Kysely<unknown>, owners: readonly string[]): Promise<void> {
  const { rows } = await sql<{ login: string }>`
    select distinct usename::text as login from pg_stat_activity
    where datname = current_database() and usename || '_owner' = any (${[...owners]}::text[])
    order by 1`.execute(trx);
  if (rows.length === 0) return;
  const logins = rows.map(({ login }) => login).join(', ');
  throw new RestoreError(`Services are connected to the database (${logins}): stop all but the gateways first.`);
}

async function actAs(trx: Kysely<unknown>, { service }: MigrationSet, owners: Map<string, string>): Promise<void> {
  await sql`set local role ${sql.id(owners.get(service)!)}`.execute(trx);
  await sql`set local search_path = ${sql.id(service)}`.execute(trx);
}
