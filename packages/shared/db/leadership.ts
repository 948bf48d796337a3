import type { RawBuilder } from 'kysely';
import { coerceError } from '../errors/index.ts';
import { pause } from '../waiting/index.ts';
import { LeaseLostError, type LeaseOptions, startLease } from './lease.ts';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

/** Keeps an outage of the database or of NATS quiet; work goes on within a second after it. */
const defaultPauseMs = 1_000;
/** A leadership that lasted this long had recovered from the failure before it: the next failure is logged as a new one. */
const steadyMs = 10_000;

/** One leadership: the time in which this process holds the lease under one epoch. */
export interface Leadership {
  readonly epoch: number;
  /** Aborts when the lease is lost or the leader stops. After a stop the lease is still held until `fn` has ended. */
  readonly signal: AbortSignal;
  /** A query for the `with` of a statement: one row while the epoch is current, else none. See Lease.fence. */
  readonly fence: RawBuilder<unknown>;
  /** Throws LeaseLostError unless the epoch is current; until `trx` ends, nobody else can acquire the lease. */
  assertHeld<U extends SharedTables>(trx: Transaction<U>): Promise<void>;
  /** Whether this process may act as the leader, by its own clock. */
  isHeld(): boolean;
  /** Ends this leadership: a fenced statement found the lease lost before the lease itself did. */
  end(): void;
}

export interface Leader {
  /** Aborts the signal, waits for `fn` to end, and releases the lease, so that a successor has it at once. */
  stop(): Promise<void>;
}

/**
 * Runs `fn` whenever this process holds the lease; of all replicas one at a time.
 *
 *   waiting  Another replica holds the lease, or Postgres is away.
 *   leading  `fn` runs under one epoch, until its signal aborts. Whatever it writes is fenced by the epoch.
 *   pausing  `fn` has ended or failed although the lease is still held here: `pauseMs` later it runs again.
 *   stopped  After stop(). The lease is released.
 *
 * A LeaseLostError from `fn` is no failure. The first of several failures in a row is logged as a warning, the others for debugging.
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
      assertHeld: (trx) => lease.assertHeld(trx, epoch),
      isHeld: () => lease.held()?.epoch === epoch,
      end: () => current.abort(),
    });
  }

  async function loop(): Promise<void> {
    let failures = 0;
    for (;;) {
      const { epoch } = (await lease.whenHeld(stopping.signal).catch(() => null)) ?? {};
      if (stopping.signal.aborted || epoch === undefined) return;
      ending = new AbortController();
      // Lost between the answer and this look: then onLost has aborted the controller of the leadership before.
      if (lease.held()?.epoch !== epoch) continue;
      const startedAt = performance.now();
      try {
        await lead(epoch, ending);
        failures = 0;
      } catch (error) {
        if (!(error instanceof LeaseLostError)) {
          failures = performance.now() - startedAt > steadyMs ? 1 : failures + 1;
          const level = failures === 1 ? 'warn' : 'debug';
          log[level]({ err: coerceError(error), lease: name, epoch }, 'the leader was interrupted; it tries again');
        }
      }
      if (lease.held()?.epoch === epoch) await pause(pauseMs, stopping.signal);
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
