import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { ServiceName } from '../contracts/contract.ts';
import type { Logger } from '../log/index.ts';
import { TranslatingDriver } from './driver.ts';
import { Signal } from './signal.ts';
import type { SharedTables } from './tables.ts';
import { runTransaction, type Transaction, type TransactionOptions } from './transaction.ts';
import { valueTypes } from './values.ts';

export interface DatabaseOptions {
  /** The service's own login, never the owner's. */
  url: string;
  /** The service's name, which is that of its schema: the search path of every connection. */
  schema: ServiceName;
  log: Logger;
  maxConnections?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
}

/** A service's connections to its schema. */
export interface Database<T> {
  /** For single statements. Several that belong together go through `transaction`. */
  readonly kysely: Kysely<T>;
  readonly service: ServiceName;
  /**
   * Runs `fn` in one transaction, READ COMMITTED unless told otherwise, and commits when it returns. After a serialization
   * failure or a deadlock it runs `fn` again, up to 3 times: `fn` has no effect other than SQL. Throws what `fn` throws;
   * AppError 'unavailable' when the database could not be reached; AppError 'timeout' when the connection broke in the
   * commit, so that nobody knows whether it happened.
   */
  transaction<R>(fn: (trx: Transaction<T>) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Throws AppError 'unavailable' when the database does not answer. */
  ping(): Promise<void>;
  /** Lets statements in flight end, then lets go of every connection. */
  close(): Promise<void>;
  /** A connection of its own for leases, so that a busy pool does not cost a holder its lease. */
  readonly leases: Kysely<SharedTables>;
  /** Told after each commit that appended to the outbox; see relay. */
  readonly appended: Signal;
}

/** A stuck statement holds one of ten connections: 10 s is longer than any of ours and than any caller waits. */
const statementTimeoutMs = 10_000;
/** Waiting longer for a row means that its holder is stuck: give the connection back and let the caller try again. */
const lockTimeoutMs = 5_000;
/** Between two statements of a transaction is computing only, no call: 10 s idle is a leak or a paused process. */
const idleInTransactionTimeoutMs = 10_000;
/** To connect, or to wait for a free connection: below a request's deadline, so that it ends as 503 and not as 504. */
const connectTimeoutMs = 3_000;
/** Six services of a few replicas stay below Postgres's default of 100 clients; a request needs one for milliseconds. */
const defaultMaxConnections = 10;
/** TCP keepalive after 10 s finds a peer that vanished without a word, which otherwise takes hours. */
const keepAliveMs = 10_000;

/** Opens no connection yet: the first statement does. Connections that break are replaced without a restart. */
export function createDatabase<Tables>(options: DatabaseOptions): Database<Tables & SharedTables> {
  const kysely = connect<Tables & SharedTables>(options, options.maxConnections ?? defaultMaxConnections);
  const leases = connect<SharedTables>(options, 1);
  const appended = new Signal();
  const context = { service: options.schema, appended };
  return {
    kysely,
    leases,
    appended,
    service: options.schema,
    transaction: (fn, transactionOptions) => runTransaction(kysely, context, fn, transactionOptions),
    async ping() {
      await kysely.selectNoFrom((eb) => eb.lit(1).as('one')).execute();
    },
    async close() {
      await Promise.all([kysely.destroy(), leases.destroy()]);
    },
  };
}

function connect<T>(options: DatabaseOptions, max: number): Kysely<T> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max,
    types: valueTypes,
    application_name: options.applicationName ?? `yardarm-${options.schema}`,
    // The role's own search_path says the same, but a database cloned from a template does not have that setting.
    options: `-c search_path=${options.schema}`,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    // A server that is gone without a word answers no statement_timeout; this one is ours.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    idleTimeoutMillis: 30_000,
  });
  // An idle connection that breaks is dropped by the pool, and the next statement opens another.
  pool.on('error', (error) => options.log.warn({ err: error }, 'an idle database connection broke'));
  // One that breaks between two statements of a transaction tells the client alone, and unheard that ends the process. The
  // next statement fails and says so.
  pool.on('connect', (client) => void client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool });
  return new Kysely<T>({
    dialect: {
      createDriver: () => new TranslatingDriver({ pool }),
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (db) => dialect.createIntrospector(db),
    },
  });
}
