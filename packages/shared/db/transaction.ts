import type { EventEmitter } from 'node:events';
import {
  CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  type Kysely,
  Transaction as KyselyTransaction,
  PostgresDialect,
  type QueryResult,
  type RawBuilder,
} from 'kysely';
import type { ServiceName } from '../contracts/contract.ts';
import { AppError, coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { backoff, pause } from '../waiting/index.ts';
import { isAborted, isFromPostgres, isRetryable, isTranslatedUnavailable, wasNeverSent } from './failures.ts';
import { encodeValues } from './values.ts';

// The states of a transaction:
//
//   open --`fn` returns--> committing --> committed | rolled back | outcome unknown
//    |\--`fn` throws--> rolled back
//     \--a statement fails--> failed --`fn` returns or throws--> rolled back
//
// open        Postgres has begun the transaction. Statements are sent at once, and Postgres executes them in that
//             order. Deferred statements wait in this process.
// failed      A statement has failed, on the server or before it was sent, whether or not `fn` caught the error. Every
//             later statement is refused with that error.
// committing  The deferred statements and `commit` are sent without waiting in between. If a statement fails, Postgres
//             turns the commit into a rollback. All their values were encoded before, so every statement is sent.
// the others  Every statement is refused, because the connection may already serve another transaction.

export interface TransactionOptions {
  /** Default: 'read committed'. */
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readOnly?: boolean;
}

type RowsOfEach<S extends readonly RawBuilder<unknown>[]> = {
  [I in keyof S]: S[I] extends RawBuilder<infer Row> ? Row[] : never;
};

export interface Transaction<T> extends KyselyTransaction<T> {
  /** Sends several statements without waiting in between. Throws the error of the first one that fails. */
  batch<S extends readonly RawBuilder<unknown>[]>(...statements: S): Promise<RowsOfEach<S>>;
  /** Sends a statement without waiting for its result. If it fails, the transaction fails with its error. */
  pipeline(statement: RawBuilder<unknown>): void;
  /** Sends a statement with the commit, in the order of the calls. `use` gets its rows after the commit. */
  defer<Row>(statement: RawBuilder<Row>, use?: (rows: Row[]) => void): void;
  /** `fn` runs after a successful commit only, and after `use`. Its error is logged: the transaction is committed. */
  onCommit(fn: () => void): void;
  readonly context: TransactionContext;
}

/** The part of the database that code with only a transaction needs. */
export interface TransactionContext {
  service: ServiceName;
  appended: EventEmitter<{ committed: [] }>;
  log: Logger;
}

/** Two transactions seldom collide twice. One that fails four times in a row has a design error. */
const maxRetries = 3;
/** Randomized, so that the same two transactions do not collide again. */
const retry = { firstMs: 10, maxMs: 40 };

export async function runTransaction<T, R>(
  kysely: Kysely<T>,
  context: TransactionContext,
  fn: (trx: Transaction<T>) => Promise<R>,
  options: TransactionOptions = {},
): Promise<R> {
  for (let failures = 1; ; failures++) {
    try {
      return await runOnce(kysely, context, fn, options);
    } catch (error) {
      if (!isRetryable(error) || failures > maxRetries) throw error;
      await pause(backoff(failures, retry, Math.random()));
    }
  }
}

async function runOnce<T, R>(
  kysely: Kysely<T>,
  context: TransactionContext,
  fn: (trx: Transaction<T>) => Promise<R>,
  options: TransactionOptions,
): Promise<R> {
  const { result, afterCommit } = await kysely.getExecutor().provideConnection(async (connection) => {
    const session = await Session.begin(connection, options);
    let result: R;
    try {
      result = await fn(transactionOn(kysely, context, session));
    } catch (error) {
      await session.rollback();
      throw error;
    }
    return { result, afterCommit: await session.commit() };
  });
  for (const after of afterCommit) {
    try {
      after();
    } catch (error) {
      context.log.error({ err: coerceError(error) }, 'a callback after a commit failed');
    }
  }
  return result;
}

class Session implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #isReadOnly: boolean;
  readonly deferred: { query: CompiledQuery; use: (rows: never[]) => void }[] = [];
  readonly #afterCommit: (() => void)[] = [];
  readonly #pipelined: Promise<unknown>[] = [];
  /** The errors of the failed statements. The transaction fails with the first one. */
  readonly #failures: unknown[] = [];
  #hasEnded = false;

  private constructor(connection: DatabaseConnection, isReadOnly: boolean) {
    this.#connection = connection;
    this.#isReadOnly = isReadOnly;
  }

  /** Waits for `begin`: if it alone failed, Postgres would commit a pipelined statement by itself. */
  static async begin(connection: DatabaseConnection, { isolation, readOnly = false }: TransactionOptions) {
    const session = new Session(connection, readOnly);
    const level = isolation ? ` isolation level ${isolation}` : '';
    await connection.executeQuery(CompiledQuery.raw(`begin${level}${readOnly ? ' read only' : ''}`));
    return session;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#requireOpen();
    try {
      return await this.#connection.executeQuery<Row>(query);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  streamQuery(): never {
    throw new Error('a pipelined connection has no cursors');
  }

  /** Compiles a statement and encodes its values. If either throws, the transaction fails. */
  encode(statement: RawBuilder<unknown>, trx: KyselyTransaction<unknown>): CompiledQuery {
    this.#requireOpen();
    try {
      const query = statement.compile(trx);
      return { ...query, parameters: encodeValues(query.parameters) };
    } catch (error) {
      throw this.#fail(error);
    }
  }

  pipeline(query: CompiledQuery): void {
    const answer = this.executeQuery(query);
    // `executeQuery` has recorded the error.
    answer.catch(() => {});
    this.#pipelined.push(answer);
  }

  onCommit(after: () => void): void {
    this.#requireOpen();
    this.#afterCommit.push(after);
  }

  /** If the rollback fails, the connection is lost, and with it the transaction. */
  async rollback(): Promise<void> {
    this.#hasEnded = true;
    await this.#connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => {});
  }

  /** Resolves when the transaction is committed, with the callbacks to run. */
  async commit(): Promise<(() => void)[]> {
    if (this.#failures.length > 0) {
      await this.rollback();
      throw this.#failures[0];
    }
    const answers = this.deferred.map(({ query }) => this.executeQuery<never>(query));
    this.#hasEnded = true;
    const committing = this.#connection.executeQuery<{ command?: string }>(CompiledQuery.raw('commit'));
    // Waits for all together: an answer that rejected during another wait would be an unhandled rejection.
    const [committed] = await Promise.allSettled([committing, ...answers, ...this.#pipelined]);
    const [failure] = this.#failures;
    if (committed.status === 'rejected') {
      await this.rollback();
      throw this.#hasChangedNothing(committed.reason)
        ? (failure ?? committed.reason)
        : outcomeUnknown(committed.reason);
    }
    if (committed.value.rows[0]?.command === 'ROLLBACK') {
      throw failure ?? new Error('the commit was a rollback: a statement without a waiting caller failed');
    }
    // Postgres has executed all statements and the commit, but the rows of one statement cannot be read.
    if (this.#failures.length > 0) throw outcomeUnknown(failure);
    const results = await Promise.all(answers);
    const uses = this.deferred.map(({ use }, index) => use.bind(null, results[index]!.rows));
    return [...uses, ...this.#afterCommit];
  }

  /** Whether a commit that failed or has no answer is known to have changed nothing. */
  #hasChangedNothing(reason: unknown): boolean {
    // Postgres refused a statement before the connection was lost, or refused the commit, or the commit was never sent.
    return (
      this.#isReadOnly || isFromPostgres(this.#failures[0]) || !isTranslatedUnavailable(reason) || wasNeverSent(reason)
    );
  }

  #requireOpen(): void {
    if (this.#hasEnded) throw new Error('the transaction has ended');
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Records an error and returns the one to throw. Errors of later statements do not have the reason of the first. */
  #fail(error: unknown): unknown {
    if (isAborted(error)) return this.#failures[0] ?? error;
    this.#failures.push(error);
    return error;
  }
}

/** Placeholders. Kysely's own transactions wait for each statement, so Kysely is used for queries only. */
const placeholder = {
  driver: new DummyDriver(),
  dialect: new PostgresDialect({ pool: () => Promise.reject(new Error('not in use')) }),
};

function transactionOn<T>(kysely: Kysely<T>, context: TransactionContext, session: Session): Transaction<T> {
  const executor = kysely.getExecutor().withConnectionProvider({ provideConnection: (use) => use(session) });
  const trx = new KyselyTransaction<T>({ ...placeholder, config: { dialect: placeholder.dialect }, executor });
  const encode = (statement: RawBuilder<unknown>) => session.encode(statement, trx as KyselyTransaction<unknown>);
  return Object.assign(trx, {
    async batch<S extends readonly RawBuilder<unknown>[]>(...statements: S) {
      const results = await Promise.all(statements.map(encode).map((query) => session.executeQuery(query)));
      return results.map(({ rows }) => rows) as RowsOfEach<S>;
    },
    pipeline: (statement: RawBuilder<unknown>) => session.pipeline(encode(statement)),
    defer(statement: RawBuilder<unknown>, use: (rows: never[]) => void = () => {}) {
      session.deferred.push({ query: encode(statement), use });
    },
    onCommit: (after: () => void) => session.onCommit(after),
    context,
  }) as Transaction<T>;
}

function outcomeUnknown(error: unknown): AppError {
  return new AppError(
    'timeout',
    'The database connection broke during the commit: the change may or may not have been saved',
    {
      cause: error instanceof AppError ? error.cause : error,
    },
  );
}
