import { setTimeout as sleep } from 'node:timers/promises';
import { startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { WakeUp } from '@yardarm/shared/waiting';
import type { FlagsResources } from '../../resources.ts';
import { markPotentiallyStale } from './mark-potentially-stale.ts';
import { findDueNames } from './staleness.repo.ts';

/** Lifetimes are days, so ten seconds are early enough. A round reads the flags once. */
const everyMs = 10_000;

/**
 * The job that emits feature-potentially-stale-on, in one replica at a time. The states of a flag:
 *
 *   fresh              `potentially_stale_since` is null, as `isPotentiallyStale` is false.
 *   due                The column differs from `isPotentiallyStale`. The next round updates it, with the event if the
 *                      flag has become potentially stale.
 *   potentially stale  The column has the time of the event, and the event is in the outbox.
 *
 * In maintenance mode flags stay due.
 *
 * One transaction updates the column, appends the event and checks the lease, so each flag gets one event until it is
 * fresh again, also when a leader is killed.
 */
export interface Staleness {
  /** Resolves when no flag is due to be marked as stale, at once in maintenance mode. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

export function startStaleness({
  log,
  isPaused,
  ...resources
}: Pick<FlagsResources, 'bus' | 'db' | 'limits'> & { log: Logger; isPaused(): boolean }): Staleness {
  const { db } = resources;
  const wakeUp = new WakeUp();
  let isStopped = false;
  const job = startPeriodicJob({ db, log, name: 'staleness', everyMs, wakeUp }, async (leadership) => {
    while (!isPaused() && (await markPotentiallyStale(resources, leadership)) && !leadership.signal.aborted);
  });
  return {
    async processAll() {
      while (!isPaused() && (await findDueNames(db.kysely, 1)).length > 0) {
        if (isStopped) throw new Error('the job of staleness has been stopped');
        wakeUp.wake();
        // Another replica may be the leader, so only the database shows when it is done.
        await sleep(10);
      }
    },
    async stop() {
      isStopped = true;
      await job.stop();
    },
  };
}
