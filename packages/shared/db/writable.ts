import type pg from 'pg';
import { ConfigError } from '../config/index.ts';
import { processIdOfPg } from '../internals/index.ts';

/** The server is a standby, or was made read-only so that it takes no changes after a failover. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError';

  constructor() {
    super('The server is a standby, or takes no changes');
  }
}

/** Asks a connection that was opened before a failover, which may have demoted its server. */
export const whetherReadOnly = `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "isReadOnly"`;

export function answersReadOnly(result: unknown): boolean {
  return (result as { rows: { isReadOnly: boolean }[] }).rows[0]?.isReadOnly === true;
}

/** A pooler is between this process and Postgres (record 0043). */
export class PoolerError extends ConfigError {
  constructor() {
    super(
      'DATABASE_URL leads to a connection pooler such as PgBouncer, which has no prepared statements and settings for each ' +
        'client: name Postgres itself. DATABASE_MAX_CONNECTIONS limits the connections of each process.',
    );
  }
}

/** PgBouncer refuses a connection with settings, before anything else. */
const refusedSetting = /unsupported startup parameter/;

export function isPoolerRefusal(error: unknown): boolean {
  return error instanceof Error && refusedSetting.test(error.message);
}

/**
 * Refuses a new connection on which a service cannot work. Throws `ReadOnlyServerError`; `PoolerError` when the process
 * that executes statements is not the one that the connection was announced with.
 */
export async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ isReadOnly: boolean; process: number }>(
    `select current_setting('transaction_read_only')::boolean as "isReadOnly", pg_backend_pid() as process`,
  );
  const { isReadOnly, process } = rows[0]!;
  if (process !== processIdOfPg(client)) throw new PoolerError();
  if (isReadOnly) throw new ReadOnlyServerError();
}
