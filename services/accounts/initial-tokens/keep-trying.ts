import { setTimeout as sleep } from 'node:timers/promises';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';

// Soon enough that a start beside Postgres' or NATS' own is not felt, and rare enough that an outage fills no log.
const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** A step of a start that may have to wait for a server. */
export interface Step {
  /** Null once it is done, else why not yet. */
  fault(): string | null;
  /** Resolves when it is done, or when it was stopped. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 *   trying -> done      the step succeeded
 *   trying -> stopped   the process ends first
 *
 * trying: the service already answers what it can, and says what is missing. A failure (Postgres or JetStream is away, a migration
 * has not run) is tried again, ever more slowly.
 */
export function keepTrying(what: string, step: () => Promise<void>, log: Logger): Step {
  const stopping = new AbortController();
  let fault: string | null = `not done yet: ${what}`;

  async function tryUntilDone(): Promise<void> {
    for (let delayMs = firstDelayMs; !stopping.signal.aborted; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      try {
        await step();
        fault = null;
        return;
      } catch (error) {
        log.warn({ err: coerceError(error), delayMs }, `could not ${what}, trying again`);
      }
      // Rejects only by being stopped, which the loop's head sees.
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const done = tryUntilDone();
  return {
    fault: () => fault,
    processAll: () => done,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
