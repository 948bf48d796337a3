import { coerceError } from '@yardarm/shared/errors';
import { findIntegrationsWithWork, renewClaims } from './claims.repo.ts';
import { claimMs, Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { Semaphore } from './semaphore.ts';

/**
 * Sends at once in this process; a send is a socket and some kilobytes. When half of them are taken an integration gets one at a time, so that
 * some three hundred endpoints that hang together still leave room for the others. Each opens its circuit after two rounds of 20 s.
 */
const maxSends = 512;

/** Two renewals may fail before a claim of `claimMs` runs out. */
const renewMs = 3_000;

/** Intake and sends that have ended schedule at once; this finds retries that are due, and what other replicas took in. */
const pollMs = 1_000;

/** Of the ten seconds that a process has to stop, what may be spent on waiting for endpoints. */
const graceMs = 6_000;

/** The part of a replica that sends: a dispatcher for each integration. */
export interface Dispatchers {
  /** Something may be due for these integrations; without any, for whichever has something due. */
  schedule(integrationIds?: readonly number[]): void;
  /** Resolves when nothing is due and this process sends nothing. */
  processAll(): Promise<void>;
  /** Claims nothing more, waits for what is in flight, and after a while ends it and gives it back. */
  stop(): Promise<void>;
}

/** Starts to send what is due. Dispatchers share nothing but the number of sends, so that no integration waits for another. */
export function startDispatchers(options: Omit<DispatcherOptions, 'slots' | 'stopping' | 'cutOff'>): Dispatchers {
  const { db, log } = options;
  const stopping = new AbortController();
  const cutOff = new AbortController();
  const parts = { ...options, slots: new Semaphore(maxSends), stopping: stopping.signal, cutOff: cutOff.signal };
  const dispatchers = new Map<number, Dispatcher>();
  const all = () => [...dispatchers.values()];

  function schedule(ids: readonly number[]): void {
    if (stopping.signal.aborted) return;
    for (const id of ids) {
      const dispatcher = dispatchers.get(id) ?? new Dispatcher(parts, id);
      dispatchers.set(id, dispatcher);
      dispatcher.schedule();
    }
  }

  async function poll(): Promise<void> {
    try {
      schedule(await findIntegrationsWithWork(db.kysely));
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'cannot look for deliveries; at the next poll again');
    }
  }

  function renew(): void {
    const owned = all().flatMap((dispatcher) => [...dispatcher.owned]);
    if (owned.length === 0) return;
    renewClaims(db.kysely, owned, claimMs).catch((error: unknown) =>
      log.debug({ err: coerceError(error) }, 'claims were not renewed; at the next time again'),
    );
  }

  async function untilIdle(): Promise<void> {
    while (all().some(({ running }) => running)) await Promise.all(all().map(({ running }) => running));
  }

  const polling = setInterval(poll, pollMs);
  const renewing = setInterval(renew, renewMs);
  void poll();
  return {
    schedule: (ids) => void (ids ? schedule(ids) : poll()),
    async processAll() {
      const claimed = () => all().reduce((sum, dispatcher) => sum + dispatcher.claimed, 0);
      for (let before = -1; !stopping.signal.aborted && before !== claimed(); ) {
        before = claimed();
        await poll();
        await untilIdle();
      }
    },
    async stop() {
      stopping.abort();
      clearInterval(polling);
      for (const dispatcher of all()) dispatcher.schedule();
      const grace = setTimeout(() => cutOff.abort(), graceMs);
      await untilIdle();
      clearTimeout(grace);
      clearInterval(renewing);
    },
  };
}
