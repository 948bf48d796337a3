import type { RawBuilder } from 'kysely';
import { coerceError } from '../errors/index.ts';
import { pause } from '../waiting/index.ts';
import { LeaseLostError, type LeaseOptions, startLease } from './lease.ts';
import { countLeaderFailure } from './lease-metrics.ts';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

/** Limits retries and log lines while Postgres or NATS is down. Work continues within a second after the outage. */
const defaultPauseMs = 1_000;
/** A leadership that lasted this long had recovered from the failure before it. The next failure is logged as new. */
const steadyMs = 10_000;

export interface Leadership {
  readonly epoch: number;
  /** Aborts when the lease is lost or the leader stops. A stopped leader holds the lease until `fn` has ended. */
  readonly signal: AbortSignal;
  /** A query for the `with` of a statement. It returns one row while the epoch is current. See Lease.fence. */
  readonly fence: RawBuilder<unknown>;
  /** Throws LeaseLostError unless the epoch is current. No other process can acquire the lease until `trx` ends. */
  requireCurrent<U extends SharedTables>(trx: Transaction<U>): Promise<void>;
  /** Whether this process may act as the leader, according to its own clock. */
  isCurrent(): boolean;
  /** Ends this leadership. For a fenced statement that finds the loss of the lease before the lease itself does. */
  end(): void;
}

export interface Leader {
  /** Aborts the signal, waits for `fn` to end, and releases the lease, so that a successor acquires it at once. */
  stop(): Promise<void>;
}

/**
 * Runs `fn` while this process holds the lease, in one replica at a time. States:
 *
 *   waiting  Another replica holds the lease, or Postgres is down.
 *   leading  `fn` runs under one epoch, until its signal aborts. All its writes are fenced by the epoch.
 *   pausing  `fn` has ended or failed while this process still holds the lease. `fn` runs again after `pauseMs`.
 *   stopped  stop() was called. The lease is released.
 *
 * A LeaseLostError of `fn` is not a failure. The first of several failures in a row is logged as a warning, the others
 * for debugging.
 */
export function runAsLeader<T extends SharedTables>(
  options: Pick<LeaseOptions<T>, 'db' | 'name' | 'log'> & { pauseMs?: number },
  fn: (leadership: Leadership) => Promise<void>,
): Leader {
  const { db, name, log, pauseMs = defaultPauseMs } = options;
  const stopping = new AbortController();
  let ending = new AbortController();
  const lease = startLease({ db, name, log, onLost: () => ending.abort() });

  async function lead(epoch: number, current: AbortController): Promise<void> {
    await fn({
      epoch,
      signal: current.signal,
      fence: lease.fence(epoch),
      requireCurrent: (trx) => lease.requireCurrent(trx, epoch),
      isCurrent: () => lease.owned()?.epoch === epoch,
      end: () => current.abort(),
    });
  }

  async function loop(): Promise<void> {
    let failures = 0;
    for (;;) {
      const { epoch } = (await lease.whenOwned(stopping.signal).catch(() => null)) ?? {};
      if (stopping.signal.aborted || epoch === undefined) return;
      ending = new AbortController();
      // If the lease was lost in between, onLost has aborted the previous controller only.
      if (lease.owned()?.epoch !== epoch) continue;
      const startedAt = performance.now();
      try {
        await lead(epoch, ending);
        failures = 0;
      } catch (error) {
        if (!(error instanceof LeaseLostError)) {
          countLeaderFailure(db.service, name);
          failures = performance.now() - startedAt > steadyMs ? 1 : failures + 1;
          const level = failures === 1 ? 'warn' : 'debug';
          log[level]({ err: coerceError(error), lease: name, epoch }, 'the leader failed and will retry');
        }
      }
      if (lease.owned()?.epoch === epoch) await pause(pauseMs, stopping.signal);
    }
  }

  const running = loop();
  return {
    async stop() {
      stopping.abort();
      ending.abort();
      await running;
      await lease.stop();
    },
  };
}
