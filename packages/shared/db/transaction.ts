import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlledTransaction, Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { ServiceName } from '../contracts/contract.ts';
import { AppError, coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { isRetryable, isUnavailable } from './failures.ts';
import type { Signal } from './signal.ts';

export interface TransactionOptions {
  /** 'read committed' unless told otherwise. */
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readOnly?: boolean;
}

/** A transaction in progress. */
export interface Transaction<T> extends KyselyTransaction<T> {
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

async function runOnce<T, R>(
  kysely: Kysely<T>,
  context: TransactionContext,
  fn: (trx: Transaction<T>) => Promise<R>,
  options: TransactionOptions,
): Promise<R> {
  const builder = kysely.startTransaction();
  const isolated = options.isolation ? builder.setIsolationLevel(options.isolation) : builder;
  const controlled = await (options.readOnly ? isolated.setAccessMode('read only') : isolated).execute();
  const afterCommit: (() => void)[] = [];
  const trx: Transaction<T> = Object.assign(controlled, {
    onCommit: (after: () => void) => void afterCommit.push(after),
  });
  contexts.set(trx, context);
  let result: R;
  try {
    result = await fn(trx);
  } catch (error) {
    await rollback(controlled);
    throw error;
  }
  await commit(controlled);
  for (const after of afterCommit) tell(after, context.log);
  return result;
}

function tell(after: () => void, log: Logger): void {
  try {
    after();
  } catch (error) {
    log.error({ err: coerceError(error) }, 'what waited for a commit failed');
  }
}

async function commit<T>(trx: ControlledTransaction<T>): Promise<void> {
  try {
    await trx.commit().execute();
  } catch (error) {
    await rollback(trx);
    const lost = error instanceof AppError && error.code === 'unavailable' && isUnavailable(error.cause);
    if (!lost) throw error;
    throw new AppError('timeout', 'The database went away while it saved this: it may or may not have happened', {
      cause: error.cause,
    });
  }
}

/** Gives the connection back. A rollback that fails has lost its connection, and with it the transaction. */
async function rollback<T>(trx: ControlledTransaction<T>): Promise<void> {
  if (trx.isCommitted || trx.isRolledBack) return;
  await trx
    .rollback()
    .execute()
    .catch(() => {});
}
