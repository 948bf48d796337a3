import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause } from '@yardarm/shared/waiting';

// Soon enough that a start beside Postgres' or NATS' own is not felt, and rare enough that an outage fills no log.
const retry = { firstMs: 100, maxMs: 5_000 };

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
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      const delayMs = backoff(failures, retry);
      try {
        await step();
        fault = null;
        return;
      } catch (error) {
        log.warn({ err: coerceError(error), delayMs }, `could not ${what}, trying again`);
      }
      await pause(delayMs, stopping.signal);
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
