import { EventEmitter } from 'node:events';
import { Kysely, PostgresDialect } from 'kysely';
import type { ServiceName } from '../contracts/contract.ts';
import type { Logger } from '../log/index.ts';
import { createPool } from './pool.ts';
import type { SharedTables } from './tables.ts';
import { runTransaction, type Transaction, type TransactionOptions } from './transaction.ts';

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
  /** Emits `committed` after each commit that appended to the outbox, for the relay in this process. */
  readonly appended: EventEmitter<{ committed: [] }>;
}

/** Six services of a few replicas stay below Postgres's default of 100 clients; a request needs one for milliseconds. */
const defaultMaxConnections = 10;

/** Opens no connection yet: the first statement does. Connections that break are replaced without a restart. */
export function createDatabase<Tables>(options: DatabaseOptions): Database<Tables & SharedTables> {
  const kysely = connect<Tables & SharedTables>(options, options.maxConnections ?? defaultMaxConnections);
  const leases = connect<SharedTables>(options, 1);
  const appended = new EventEmitter<{ committed: [] }>();
  const context = { service: options.schema, appended, log: options.log };
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

function connect<T>(options: DatabaseOptions, maxConnections: number): Kysely<T> {
  const { url, schema, log, applicationName } = options;
  const pool = createPool({
    ...{ url, schema, log, maxConnections },
    applicationName: applicationName ?? `yardarm-${schema}`,
  });
  return new Kysely<T>({ dialect: new PostgresDialect({ pool }) });
}
