import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  type Kysely,
  Transaction as KyselyTransaction,
  PostgresDialect,
  type RawBuilder,
} from 'kysely';
import type { ServiceName } from '../contracts/contract.ts';
import { AppError, coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { isAborted, isLost, isRefused, isRetryable, wasNeverSent } from './failures.ts';
import type { Signal } from './signal.ts';

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
  /** Statements that do not need each other's rows: sent at once, carried out in their order. Throws what the first failed one does. */
  together<S extends readonly RawBuilder<unknown>[]>(...statements: S): Promise<RowsOfEach<S>>;
  /** A statement that is carried out while `fn` goes on; what it fails of is thrown by the commit. */
  sendAhead(statement: RawBuilder<unknown>): void;
  /** A statement of the end: sent with the commit, in the order of calling. `use` gets its rows when it has happened, before `onCommit`. */
  atEnd<Row>(statement: RawBuilder<Row>, use?: (rows: Row[]) => void): void;
  /** `fn` runs after a successful commit and only then. What it throws is logged: the transaction has happened. */
  onCommit(fn: () => void): void;
}

/** What code that is given a transaction alone may know of its database. */
export interface TransactionContext {
  service: ServiceName;
  appended: Signal;
  log: Logger;
}

const contexts = new WeakMap<object, TransactionContext>();

/** The database that a transaction belongs to; throws for one that Database.transaction did not make. */
export function contextOf(trx: object): TransactionContext {
  const context = contexts.get(trx);
  if (!context) throw new Error('this transaction was not made by Database.transaction');
  return context;
}

/** Two that collide once seldom collide again; whoever fails four times in a row meets a design fault, not bad luck. */
const maxRetries = 3;

export async function runTransaction<T, R>(
  kysely: Kysely<T>,
  context: TransactionContext,
  fn: (trx: Transaction<T>) => Promise<R>,
  options: TransactionOptions = {},
): Promise<R> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await runOnce(kysely, context, fn, options);
    } catch (error) {
      if (!isRetryable(error) || attempt === maxRetries) throw error;
      // Apart from each other, so that the same two do not meet again: up to 10, 20, 40 ms.
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}

/**
 * Every trip to Postgres costs both sides as much as carrying out a small statement does, so that a transaction makes as few as it can:
 * `begin` is sent with the first statement, and `commit` with those of the end. Statements are carried out in the order of sending; after one
 * that fails Postgres refuses the others and makes of the commit a rollback.
 */
async function runOnce<T, R>(
  kysely: Kysely<T>,
  context: TransactionContext,
  fn: (trx: Transaction<T>) => Promise<R>,
  options: TransactionOptions,
): Promise<R> {
  const afterCommit: (() => void)[] = [];
  const result = await kysely.getExecutor().provideConnection(async (connection) => {
    const ends: End[] = [];
    const begun = send(connection, beginning(options));
    // Told when it ends; every statement fails with it.
    begun.catch(() => {});
    const trx = transactionOn(kysely, behind(begun, connection), ends, afterCommit);
    contexts.set(trx, context);
    let returned: R;
    try {
      returned = await fn(trx);
    } catch (error) {
      await rollback(connection);
      throw await reasonOf(error, ends);
    }
    await commit(behind(begun, connection), ends, { isReadOnly: options.readOnly === true, log: context.log });
    return returned;
  });
  for (const after of afterCommit) tell(after, context.log);
  return result;
}

interface End {
  query: CompiledQuery;
  /** Its answer, when it has been sent ahead. */
  sent?: ReturnType<DatabaseConnection['executeQuery']>;
  use?: (rows: never[]) => void;
}

/** The connection for statements that must not stand without the `begin` before them. */
function behind(begun: Promise<unknown>, connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      const [answer] = await Promise.all([connection.executeQuery<Row>(query), begun]);
      return answer;
    },
    streamQuery: (query, size) => connection.streamQuery(query, size),
  };
}

/** Kysely's own lets one statement after the other onto its connection. Besides queries it asks these for nothing. */
const unused = {
  driver: new DummyDriver(),
  dialect: new PostgresDialect({ pool: () => Promise.reject(new Error('not in use')) }),
};

function transactionOn<T>(
  kysely: Kysely<T>,
  connection: DatabaseConnection,
  ends: End[],
  afterCommit: (() => void)[],
): Transaction<T> {
  const executor = kysely.getExecutor().withConnectionProvider({ provideConnection: (use) => use(connection) });
  const trx = new KyselyTransaction<T>({ ...unused, config: { dialect: unused.dialect }, executor });
  return Object.assign(trx, {
    async together<S extends readonly RawBuilder<unknown>[]>(...statements: S) {
      const results = await Promise.all(statements.map((statement) => connection.executeQuery(statement.compile(trx))));
      return results.map(({ rows }) => rows) as RowsOfEach<S>;
    },
    sendAhead(statement: RawBuilder<unknown>) {
      const query = statement.compile(trx);
      const sent = connection.executeQuery(query);
      // Told by the commit, or by what was thrown before it.
      sent.catch(() => {});
      ends.push({ query, sent });
    },
    atEnd: (statement: RawBuilder<unknown>, use?: End['use']) =>
      void ends.push({ query: statement.compile(trx), ...(use && { use }) }),
    onCommit: (after: () => void) => void afterCommit.push(after),
  }) as Transaction<T>;
}

/** On its way when this returns: what is sent next comes behind it. */
function send(connection: DatabaseConnection, text: string) {
  return connection.executeQuery<{ command?: string }>(CompiledQuery.raw(text));
}

function beginning({ isolation, readOnly }: TransactionOptions): string {
  return ['begin', ...(isolation ? [`isolation level ${isolation}`] : []), ...(readOnly ? ['read only'] : [])].join(
    ' ',
  );
}

function tell(after: () => void, log: Logger): void {
  try {
    after();
  } catch (error) {
    log.error({ err: coerceError(error) }, 'what waited for a commit failed');
  }
}

/**
 * Sends the end. What Postgres says of the commit decides what is told: after COMMIT it has happened, whatever else went wrong; after
 * ROLLBACK, or when Postgres has refused a statement before the connection was lost, it has not.
 */
async function commit(
  connection: DatabaseConnection,
  ends: readonly End[],
  { isReadOnly, log }: { isReadOnly: boolean; log: Logger },
): Promise<void> {
  const ending = ends.map(({ query, sent }) => sent ?? connection.executeQuery(query));
  const committing = send(connection, 'commit');
  // All of them at once: a commit that fails while an end is still waited for would be a rejection that nobody handles.
  const [committed, ...ended] = await Promise.allSettled([committing, ...ending]);
  const failures = ended.filter((outcome) => outcome.status === 'rejected');
  // What was sent ahead was carried out before what was sent only now, in whatever order they were asked for.
  const failure = failures.find(({ reason }) => !isAborted(reason)) ?? failures[0];
  if (committed.status === 'rejected') {
    await rollback(connection);
    if (failure && isRefused(failure.reason)) throw failure.reason;
    if (isReadOnly || !isLost(committed.reason) || wasNeverSent(committed.reason)) throw committed.reason;
    throw outcomeUnknown(committed.reason);
  }
  if (committed.value.rows[0]?.command === 'ROLLBACK') {
    throw failure?.reason ?? new Error('a transaction went on after a failed statement');
  }
  // One that has failed on this side alone: it was never sent, or what it answered cannot be read.
  if (failure) throw outcomeUnknown(failure.reason);
  for (const [index, { use }] of ends.entries()) {
    const { rows } = (ended[index] as PromiseFulfilledResult<{ rows: never[] }>).value;
    if (use) tell(() => use(rows), log);
  }
}

/** Of an error behind a statement that was sent ahead and has failed: why that one has. */
async function reasonOf(error: unknown, ends: readonly End[]): Promise<unknown> {
  if (!isAborted(error)) return error;
  const outcomes = await Promise.allSettled(ends.flatMap(({ sent }) => sent ?? []));
  return outcomes.find((outcome) => outcome.status === 'rejected')?.reason ?? error;
}

function outcomeUnknown(error: unknown): AppError {
  return new AppError('timeout', 'The database went away while it saved this: it may or may not have happened', {
    cause: error instanceof AppError ? error.cause : error,
  });
}

/** Gives the connection back. A rollback that fails has lost its connection, and with it the transaction. */
async function rollback(connection: DatabaseConnection): Promise<void> {
  await send(connection, 'rollback').catch(() => {});
}
