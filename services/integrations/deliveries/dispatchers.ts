import { coerceError } from '@yardarm/shared/errors';
import { findIntegrationsWithWork, renewClaims } from './claims.repo.ts';
import { claimMs, Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { SendSlots } from './send-slots.ts';

/**
 * The limit of concurrent sends in this process to endpoints that answer soon, and the same again to the others; a send
 * is a socket and some kilobytes. When half of them are in use, an integration gets one at a time. A hundred and fifty
 * endpoints that hang together then still leave sends for others. Each opens its circuit after two rounds of 20 s.
 */
const maxSendsOfPool = 256;

/**
 * The bytes that these sends hold, for each pool. Sixteen of the largest events need as much (send.ts), and 256 of up
 * to 60 kB. Both pools together need a quarter of the heap of deploy/node.env.
 */
const maxBytesOfPool = 128_000_000;

/** Two renewals may fail before a claim of `claimMs` expires. */
const renewMs = 3_000;

/**
 * Intake and ended sends schedule at once. The poll finds due retries and the deliveries that other replicas inserted.
 */
const pollMs = 1_000;

/** The part of the ten seconds grace period that sends in flight may use. */
const graceMs = 6_000;

export interface Dispatchers {
  /** Checks these integrations for due deliveries. */
  schedule(integrationIds: readonly number[]): void;
  /** Checks all integrations and resolves when this process sends nothing and can claim nothing. */
  processAll(): Promise<void>;
  /** Claims nothing more and waits for sends in flight. After the grace period it ends them and settles them as due. */
  stop(): Promise<void>;
}

/** Starts the dispatchers. They share only the limits of sends, so that no integration waits for another. */
export function startDispatchers(options: Omit<DispatcherOptions, 'slots' | 'stopping' | 'cutOff'>): Dispatchers {
  const { db, log } = options;
  const stopping = new AbortController();
  const cutOff = new AbortController();
  const slots = new SendSlots({ permits: maxSendsOfPool, bytes: maxBytesOfPool }, schedule);
  const shared = { ...options, slots, stopping: stopping.signal, cutOff: cutOff.signal };
  const dispatchers = new Map<number, Dispatcher>();
  const all = () => [...dispatchers.values()];

  function schedule(ids: readonly number[]): void {
    if (stopping.signal.aborted) return;
    for (const id of ids) {
      const dispatcher = dispatchers.get(id) ?? new Dispatcher(shared, id);
      dispatchers.set(id, dispatcher);
      dispatcher.schedule();
    }
  }

  async function findWork(): Promise<void> {
    // A dispatcher that is needed again is made again. The integrations of the others may be deleted.
    for (const [id, { running }] of dispatchers) if (!running) dispatchers.delete(id);
    try {
      schedule(await findIntegrationsWithWork(db.kysely));
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'cannot find due deliveries; the next poll tries again');
    }
  }

  function renew(): void {
    const owned = all().flatMap((dispatcher) => [...dispatcher.owned]);
    if (owned.length === 0) return;
    renewClaims(db.kysely, owned, claimMs).catch((error: unknown) =>
      log.debug({ err: coerceError(error) }, 'cannot renew claims; the next renewal tries again'),
    );
  }

  async function untilIdle(): Promise<void> {
    while (all().some(({ running }) => running)) await Promise.all(all().map(({ running }) => running));
  }

  const polling = setInterval(unlessRunning(findWork), pollMs);
  // One that hangs may not delay the next: the claims would expire.
  const renewing = setInterval(renew, renewMs);
  void findWork();
  return {
    schedule,
    async processAll() {
      await findWork();
      await untilIdle();
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

/** While Postgres is slow, polls take one connection, and settlements have the others. */
function unlessRunning(work: () => Promise<void>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    void work().finally(() => {
      isRunning = false;
    });
  };
}
