import { type Database, startLease } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import { sweep } from './sweep.ts';

/** What is kept for days need not go to the minute; a deleted integration's rows are gone soon. */
const everyMs = 60_000;

/** The part of a replica that deletes what is old whenever it is its turn. */
export interface Sweeper {
  stop(): Promise<void>;
}

/**
 * One replica sweeps, the holder of the lease `retention`. The lease only saves work: two that sweep at once delete the same rows, once.
 */
export function startSweeper(options: { db: Database<IntegrationsTables>; days: number; log: Logger }): Sweeper {
  const { db, days, log } = options;
  const stopping = new AbortController();
  const lease = startLease({ db, name: 'retention', log });
  let sweeping: Promise<void> | null = null;
  const timer = setInterval(() => {
    if (!lease.held()) return;
    sweeping ??= sweep(db, { days, signal: stopping.signal })
      .catch((error: unknown) => log.warn({ err: coerceError(error) }, 'could not sweep; in a minute again'))
      .finally(() => {
        sweeping = null;
      });
  }, everyMs);
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await sweeping;
      await lease.stop();
    },
  };
}
