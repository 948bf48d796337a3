import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { AccountsTables } from '../db/schema.ts';
import type { InitialToken } from './initial-token.ts';
import { makeInitialTokens } from './make-initial-tokens.ts';

// Soon enough that a start beside Postgres' own is not felt, and rare enough that an outage fills no log.
const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** The making of the initial tokens, in the background of a start. */
export interface InitialTokens {
  /** Null once they are made, else why not yet. */
  fault(): string | null;
  /** Resolves when they are made, or when it was stopped. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 *   trying -> made      every token of the settings is in the table
 *   trying -> stopped   the process ends first
 *
 * trying: the service already answers, as tokens made by an earlier start are good; it says on /ready that it is not ready.
 * A failure (Postgres is away, the migration has not run) is tried again, ever more slowly.
 */
export function startInitialTokens(options: {
  db: Database<AccountsTables>;
  tokens: readonly InitialToken[];
  log: Logger;
}): InitialTokens {
  const { db, tokens, log } = options;
  const stopping = new AbortController();
  let fault: string | null = 'the initial tokens are not made yet';

  async function tryUntilMade(): Promise<void> {
    const requestId = randomUUID();
    for (let delayMs = firstDelayMs; !stopping.signal.aborted; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      try {
        await makeInitialTokens(db, tokens, requestId);
        fault = null;
        return;
      } catch (error) {
        log.warn({ err: coerceError(error), delayMs }, 'could not make the initial tokens, trying again');
      }
      // Rejects only by being stopped, which the loop's head sees.
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const done = tryUntilMade();
  return {
    fault: () => fault,
    processAll: () => done,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
