import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusedLogin, isUnavailable } from '../failures.ts';
import { tryConnection } from '../try-connection.ts';
import { MigrationError } from './migration-set.ts';

export interface WaitOptions {
  url: string;
  limitMs: number;
  /** Called once, with the reason, if the server does not answer the first attempt. */
  onWait?(reason: string): void;
}

/** A running server answers in milliseconds. A starting server takes seconds. */
const pauseMs = 500;
const connectTimeoutMs = 5_000;

/**
 * Resolves when this user can connect to this database. Throws MigrationError when the server refuses, because the
 * user, the password or the name of the database is wrong, or when it does not answer within the limit.
 */
export async function waitForDatabase({ url, limitMs, onWait }: WaitOptions): Promise<void> {
  const end = performance.now() + limitMs;
  for (let isFirst = true; ; isFirst = false) {
    const error = await connectionError(url);
    if (!error) return;
    const address = addressOf(url);
    if (isRefusedLogin(error) || (!isUnavailable(error) && !isTimeout(error))) {
      throw new MigrationError(`Postgres at ${address} refuses the connection: ${error.message}.`, { cause: error });
    }
    if (performance.now() > end) {
      const seconds = Math.round(limitMs / 1000);
      throw new MigrationError(
        `Postgres at ${address} has not answered for ${seconds} s (${reasonOf(error)}). Is it running, and is the address right?`,
        { cause: error },
      );
    }
    if (isFirst) onWait?.(`waiting for Postgres at ${address} (${reasonOf(error)})`);
    await sleep(pauseMs);
  }
}

async function connectionError(url: string): Promise<Error | undefined> {
  try {
    await tryConnection(url, connectTimeoutMs, (client) => client.query('select 1'));
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function isTimeout(error: Error): boolean {
  return /timeout/i.test(error.message);
}

/** A host name with several addresses fails with an AggregateError, which has no message of its own. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((one: Error) => one.message).join('; ');
  return error.message;
}

/** The host and the database, without user and password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
