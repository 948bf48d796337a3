import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause } from '@yardarm/shared/waiting';

// The first delay goes unnoticed when Postgres or NATS start too; the last one fills no log during an outage.
const retry = { firstMs: 100, maxMs: 5_000 };

/** A step of the start that may have to wait for a server. */
export interface RetriedTask {
  /** Null once the step is done, else the reason why not. */
  problem(): string | null;
  /** Resolves when the step is done, or when it was stopped. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 *   trying -> done      the step succeeded
 *   trying -> stopped   the process stopped first
 *
 * trying: the service already answers what it can and reports what is missing. A failure (Postgres or JetStream is
 * unavailable, a migration has not run) is retried with backoff.
 */
export function keepTrying(what: string, step: () => Promise<void>, log: Logger): RetriedTask {
  const stopping = new AbortController();
  let problem: string | null = `not done yet: ${what}`;

  async function tryUntilDone(): Promise<void> {
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      const delayMs = backoff(failures, retry);
      try {
        await step();
        problem = null;
        return;
      } catch (error) {
        log.warn({ err: coerceError(error), delayMs }, `could not ${what}, trying again`);
      }
      await pause(delayMs, stopping.signal);
    }
  }

  const done = tryUntilDone();
  return {
    problem: () => problem,
    processAll: () => done,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
