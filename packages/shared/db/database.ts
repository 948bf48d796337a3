import { EventEmitter } from 'node:events';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { LoginChoice, type Logins } from '../config/index.ts';
import type { ServiceName } from '../contracts/contract.ts';
import type { Logger } from '../log/index.ts';
import { translateError } from './failures.ts';
import { LoginState } from './login-state.ts';
import { createPool, tryLogin } from './pool.ts';
import type { SharedTables } from './tables.ts';
import { runTransaction, type Transaction, type TransactionOptions } from './transaction.ts';
import { answersReadOnly, ReadOnlyServerError, whetherReadOnly } from './writable.ts';

export interface DatabaseOptions {
  /** The URL of the service's login role, never of the owner role. */
  url: string;
  /** The logins that new connections may use instead, the first one first: those of a file, whose content changes. */
  logins?: Logins;
  /** The service's name. The schema has the same name and is the search path of every connection. */
  schema: ServiceName;
  log: Logger;
  maxConnections?: number;
  applicationName?: string;
}

export interface Database<T> {
  /** For single statements. Statements that belong together run in `transaction`. */
  readonly kysely: Kysely<T>;
  readonly service: ServiceName;
  /**
   * Runs `fn` in one transaction. After a serialization failure or a deadlock it runs again, up to 3 times, so `fn`
   * must have no effect other than SQL. Throws the error of `fn`; AppError 'unavailable' when the database cannot be
   * reached; AppError 'timeout' when the connection breaks during the commit, so that the outcome is unknown.
   */
  transaction<R>(fn: (trx: Transaction<T>) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Throws AppError 'unavailable' when the database does not answer, takes no changes, or refuses this login. */
  ping(): Promise<void>;
  /** Waits for the statements in flight, then closes every connection. */
  close(): Promise<void>;
  /** A separate connection for leases, so that a busy pool does not cost a holder its lease. */
  readonly leases: Kysely<SharedTables>;
  /** Emits `committed` after each commit that appended to the outbox, for the relay in this process. */
  readonly appended: EventEmitter<{ committed: [] }>;
}

/** Six services with a few replicas stay below the 100 clients of Postgres. A request uses one for milliseconds. */
const defaultMaxConnections = 10;

/** The first statement opens the first connection. The pool replaces broken connections without a restart. */
export function createDatabase<Tables>(options: DatabaseOptions): Database<Tables & SharedTables> {
  const login = new LoginState(options.log);
  const choice = new LoginChoice(options.logins ?? (() => [options.url]));
  const connect = <T>(maxConnections: number) => connectTo<T>(options, choice, login, maxConnections);
  const kysely = connect<Tables & SharedTables>(options.maxConnections ?? defaultMaxConnections);
  const leases = connect<SharedTables>(1);
  const appended = new EventEmitter<{ committed: [] }>();
  const context = { service: options.schema, appended, log: options.log };
  return {
    kysely,
    leases,
    appended,
    service: options.schema,
    transaction: (fn, transactionOptions) => runTransaction(kysely, context, fn, transactionOptions),
    async ping() {
      await requirePrimary(kysely);
      if (login.isRefused) await tryLogin({ choice, login });
    },
    async close() {
      await Promise.all([kysely.destroy(), leases.destroy()]);
    },
  };
}

/** A connection that was opened before a failover may lead to the server that was the primary then. */
async function requirePrimary<T>(kysely: Kysely<T>): Promise<void> {
  const result = await sql.raw(whetherReadOnly).execute(kysely);
  if (answersReadOnly(result)) throw translateError(new ReadOnlyServerError());
}

function connectTo<T>(
  { schema, log, applicationName }: DatabaseOptions,
  choice: LoginChoice,
  login: LoginState,
  maxConnections: number,
): Kysely<T> {
  const pool = createPool({
    ...{ choice, schema, log, login, maxConnections },
    applicationName: applicationName ?? `yardarm-${schema}`,
  });
  return new Kysely<T>({ dialect: new PostgresDialect({ pool }) });
}
