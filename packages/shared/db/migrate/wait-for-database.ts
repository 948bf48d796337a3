import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isUnavailable } from '../failures.ts';
import { MigrationError } from './migrate.ts';

export interface WaitOptions {
  url: string;
  /** How long a server that does not answer yet is waited for. */
  limitMs: number;
  /** Called once, when it does not answer at the first try, with the reason. */
  onWait?(reason: string): void;
}

/** A server answers in milliseconds or is starting, which takes seconds. */
const pauseMs = 500;
const connectTimeoutMs = 5_000;

/**
 * Resolves when the server lets this user into this database. Throws MigrationError when it refuses (waiting would not help: the user,
 * the password or the name of the database is wrong) or does not answer within the limit.
 */
export async function waitForDatabase({ url, limitMs, onWait }: WaitOptions): Promise<void> {
  const end = performance.now() + limitMs;
  for (let isFirst = true; ; isFirst = false) {
    const error = await failureToConnect(url);
    if (!error) return;
    const address = addressOf(url);
    if (!isUnavailable(error) && !isTimeout(error)) {
      throw new MigrationError(`Postgres at ${address} refuses: ${error.message}.`, { cause: error });
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

async function failureToConnect(url: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    // It may never have been open.
    await client.end().catch(() => {});
  }
}

function isTimeout(error: Error): boolean {
  return /timeout/i.test(error.message);
}

/** A name with several addresses fails with several errors and no words of its own. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((one: Error) => one.message).join('; ');
  return error.message;
}

/** Without user and password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
