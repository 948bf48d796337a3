import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import type { Logger } from '../log/index.ts';
import { isStalePlan, translated } from './failures.ts';
import { createPreparedNames, type PreparedNames } from './prepared.ts';
import { valueTypes } from './values.ts';

export interface PoolOptions {
  url: string;
  schema: string;
  log: Logger;
  maxConnections: number;
  applicationName: string;
}

/** A stuck statement holds one of ten connections: 10 s is longer than any of ours and than any caller waits. */
const statementTimeoutMs = 10_000;
/** Waiting longer for a row means that its holder is stuck: give the connection back and let the caller try again. */
const lockTimeoutMs = 5_000;
/** Between two statements of a transaction is computing only, no call: 10 s idle is a leak or a paused process. */
const idleInTransactionTimeoutMs = 10_000;
/** To connect, or to wait for a free connection: below a request's deadline, so that it ends as 503 and not as 504. */
const connectTimeoutMs = 3_000;
/** A server that is gone without a word ends no statement; then this process does, once the server would have. */
const silenceMs = statementTimeoutMs + connectTimeoutMs;
/** Idle connections are given back after half a minute, which outlasts the pauses of ordinary traffic. */
const idleMs = 30_000;

/** The connections of one service. What goes wrong on the way to the database is AppError 'unavailable'. */
export function createPool(options: PoolOptions): PostgresPool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    types: valueTypes,
    application_name: options.applicationName,
    // The role's own search_path says the same, but a database cloned from a template does not have that setting.
    // Prepared statements are planned for their values (prepared.ts).
    options: `-c search_path=${options.schema} -c plan_cache_mode=force_custom_plan`,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: silenceMs,
    keepAlive: true,
    idleTimeoutMillis: idleMs,
  });
  // An idle connection that breaks is dropped by the pool, and the next statement opens another.
  pool.on('error', (error) => options.log.debug({ err: error }, 'an idle database connection broke'));
  const names = createPreparedNames();
  pool.on('connect', (client) => prepare(client, names));
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      try {
        // Kysely asks for less than a client can do.
        return (await pool.connect()) as unknown as Awaited<ReturnType<PostgresPool['connect']>>;
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

function prepare(client: pg.PoolClient, names: PreparedNames): void {
  // A connection that breaks between two statements of a transaction tells the client alone, and unheard that ends the
  // process. The next statement fails and says so.
  client.on('error', () => {});
  const query = client.query.bind(client) as (statement: pg.QueryConfig) => Promise<unknown>;
  const translating = async (text: string, values: unknown[] = []) => {
    const name = names.nameOf(text);
    try {
      return await query({ text, values, ...(name && { name }) });
    } catch (error) {
      if (isStalePlan(error)) {
        names.renew();
        // In a transaction, which is over, this is refused too: then the transaction as a whole is done again.
        return await query({ text, values }).catch(() => {
          throw error;
        });
      }
      // The statement may still stand on the connection, and would make the next one wait as well.
      if (error instanceof Error && error.message === silenceMessage) await cut(client);
      throw translated(error);
    }
  };
  Object.assign(client, { query: translating });
}

/** pg's words for a statement without an answer. */
const silenceMessage = 'Query read timeout';

/** Resolves when the client knows, so that the pool does not hand it out again. */
async function cut(client: pg.PoolClient): Promise<void> {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  const closed = once(connection.stream, 'close');
  connection.stream.destroy();
  await closed;
}
