import type { Logger } from '../log/index.ts';
import { WakeUp } from '../waiting/index.ts';
import type { Database } from './database.ts';
import { type Leader, type Leadership, runAsLeader } from './leadership.ts';
import type { SharedTables } from './tables.ts';

/** An outage costs a failed attempt a minute. The work of these jobs can wait for longer. */
const maxRetryMs = 60_000;

export interface PeriodicJobOptions<T extends SharedTables> {
  db: Database<T>;
  log: Logger;
  name: string;
  /** The time between the end of a run and the next one. */
  everyMs: number;
  /** A wake-up starts the next run before its time. */
  wakeUp?: WakeUp;
}

/**
 * Calls `run` at an interval, in one replica at a time, and first when this process acquires the lease. States:
 *
 *   waiting  Another replica holds the lease, or Postgres is down.
 *   running  `run` works under one epoch. It ends early when the signal of its leadership aborts. Its writes are
 *            fenced, unless two replicas may do the same work at once.
 *   resting  The run succeeded. The next one begins after `everyMs`, or when `wakeUp` is woken.
 *   failed   The run threw. The next one begins after `everyMs`, but after a minute at most.
 *
 * The first of several failures in a row is logged as a warning, the others for debugging (see runAsLeader). Nothing
 * else ends the job but stop().
 */
export function startPeriodicJob<T extends SharedTables>(
  { db, log, name, everyMs, wakeUp = new WakeUp() }: PeriodicJobOptions<T>,
  run: (leadership: Leadership) => Promise<void>,
): Leader {
  return runAsLeader({ db, name, log, pauseMs: Math.min(everyMs, maxRetryMs) }, async (leadership) => {
    while (!leadership.signal.aborted) {
      await run(leadership);
      await wakeUp.wait(everyMs, leadership.signal);
    }
  });
}
