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
import { isAborted, isLost, isRefused, isRetryable, wasNeverSent } from './failures.ts';
import { encodeValues } from './values.ts';

// The states of a transaction:
//
//   open --`fn` returns--> committing --> committed | rolled back | outcome unknown
//    |\--`fn` throws--> rolled back
//     \--a statement fails--> failed --`fn` returns or throws--> rolled back
//
// open        `begin` is sent; statements are sent as they are asked for, and Postgres carries them out in that order. A deferred
//             statement waits here.
// failed      A statement has failed, at the server or before it was sent, whether or not `fn` caught the error. Every later
//             statement is refused with that error.
// committing  The deferred statements and `commit` are sent without waiting in between: after a statement that fails Postgres makes
//             of the commit a rollback. All their values were encoded before, so that none of them can stay behind in this process.
// the others  Every statement is refused: the connection may already serve another transaction.

export interface TransactionOptions {
  /** 'read committed' unless told otherwise. */
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readOnly?: boolean;
}

/** The rows of each statement, in their order. */
type RowsOfEach<S extends readonly RawBuilder<unknown>[]> = {
  [I in keyof S]: S[I] extends RawBuilder<infer Row> ? Row[] : never;
};

/** A transaction in progress. */
export interface Transaction<T> extends KyselyTransaction<T> {
  /** Sends statements that do not need each other's rows at once. Throws what the first failed one does. */
  batch<S extends readonly RawBuilder<unknown>[]>(...statements: S): Promise<RowsOfEach<S>>;
  /** Sends a statement while `fn` goes on. If it fails, the transaction fails with its error. */
  pipeline(statement: RawBuilder<unknown>): void;
  /** Sends a statement with the commit, in the order of calling. `use` gets its rows after the commit, before `onCommit`. */
  defer<Row>(statement: RawBuilder<Row>, use?: (rows: Row[]) => void): void;
  /** `fn` runs after a successful commit and only then. What it throws is logged: the transaction has happened. */
  onCommit(fn: () => void): void;
  readonly context: TransactionContext;
}

/** What code that is given a transaction alone may know of its database. */
export interface TransactionContext {
  service: ServiceName;
  appended: EventEmitter<{ committed: [] }>;
  log: Logger;
}

/** Two that collide once seldom collide again; a transaction that fails four times in a row has a design fault, not bad luck. */
const maxRetries = 3;
/** A random part of it, so that the same two do not meet again. */
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
    const session = new Session(connection, options);
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
      context.log.error({ err: coerceError(error) }, 'what waited for a commit failed');
    }
  }
  return result;
}

/** The connection of one transaction, in the states that stand at the top of this file. */
class Session implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #begun: Promise<unknown>;
  readonly #isReadOnly: boolean;
  readonly deferred: { query: CompiledQuery; use: (rows: never[]) => void }[] = [];
  readonly #afterCommit: (() => void)[] = [];
  readonly #pipelined: Promise<unknown>[] = [];
  /** Why the transaction has failed: the error of the first statement that did, and those of others. */
  readonly #failures: unknown[] = [];
  #hasEnded = false;

  constructor(connection: DatabaseConnection, { isolation, readOnly = false }: TransactionOptions) {
    this.#connection = connection;
    this.#isReadOnly = readOnly;
    const level = isolation ? ` isolation level ${isolation}` : '';
    // Not waited for: a round trip costs both sides as much as a small statement does.
    this.#begun = connection.executeQuery(CompiledQuery.raw(`begin${level}${readOnly ? ' read only' : ''}`));
    // Every statement fails with it.
    this.#begun.catch(() => {});
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#requireOpen();
    try {
      return await this.#send<Row>(query);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  streamQuery(): never {
    throw new Error('a pipelined connection has no cursors');
  }

  /** A statement as it is sent. One that cannot be made, or has a value that cannot be encoded, fails the transaction. */
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
    // It fails the transaction.
    answer.catch(() => {});
    this.#pipelined.push(answer);
  }

  onCommit(after: () => void): void {
    this.#requireOpen();
    this.#afterCommit.push(after);
  }

  /** Gives the connection back. A rollback that fails has lost its connection, and with it the transaction. */
  async rollback(): Promise<void> {
    this.#hasEnded = true;
    await this.#send(CompiledQuery.raw('rollback')).catch(() => {});
  }

  /** Resolves when the transaction has happened, with what is to be called then. */
  async commit(): Promise<(() => void)[]> {
    if (this.#failures.length > 0) {
      await this.rollback();
      throw this.#failures[0];
    }
    const answers = this.deferred.map(({ query }) => this.executeQuery<never>(query));
    this.#hasEnded = true;
    const committing = this.#send<{ command?: string }>(CompiledQuery.raw('commit'));
    // All of them at once: one that fails while another is waited for would be a rejection that nobody handles.
    const [committed] = await Promise.allSettled([committing, ...answers, ...this.#pipelined]);
    const [failure] = this.#failures;
    if (committed.status === 'rejected') {
      await this.rollback();
      throw this.#isUndone(committed.reason) ? (failure ?? committed.reason) : outcomeUnknown(committed.reason);
    }
    if (committed.value.rows[0]?.command === 'ROLLBACK') {
      throw failure ?? new Error('a statement failed that nobody waited for');
    }
    // Postgres has carried out all statements and the commit; the rows of one cannot be read.
    if (this.#failures.length > 0) throw outcomeUnknown(failure);
    const results = await Promise.all(answers);
    const uses = this.deferred.map(({ use }, index) => use.bind(null, results[index]!.rows));
    return [...uses, ...this.#afterCommit];
  }

  /** Whether nothing has happened although the commit was not answered or was refused. */
  #isUndone(reason: unknown): boolean {
    // A statement was refused before the connection was lost, or the commit itself was, or it never left this process.
    return this.#isReadOnly || isRefused(this.#failures[0]) || !isLost(reason) || wasNeverSent(reason);
  }

  async #send<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const [answer] = await Promise.all([this.#connection.executeQuery<Row>(query), this.#begun]);
    return answer;
  }

  #requireOpen(): void {
    if (this.#hasEnded) throw new Error('the transaction has ended');
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Notes a failure, and returns what to throw: Postgres refuses what follows a failed statement without saying why that one failed. */
  #fail(error: unknown): unknown {
    if (isAborted(error)) return this.#failures[0] ?? error;
    this.#failures.push(error);
    return error;
  }
}

/** Kysely's own transactions wait for each statement before the next. Besides queries Kysely asks these for nothing. */
const unused = {
  driver: new DummyDriver(),
  dialect: new PostgresDialect({ pool: () => Promise.reject(new Error('not in use')) }),
};

function transactionOn<T>(kysely: Kysely<T>, context: TransactionContext, session: Session): Transaction<T> {
  const executor = kysely.getExecutor().withConnectionProvider({ provideConnection: (use) => use(session) });
  const trx = new KyselyTransaction<T>({ ...unused, config: { dialect: unused.dialect }, executor });
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
  return new AppError('timeout', 'The database went away while it saved this: it may or may not have happened', {
    cause: error instanceof AppError ? error.cause : error,
  });
}
