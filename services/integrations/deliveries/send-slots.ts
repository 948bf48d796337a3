import { LRUCache } from 'lru-cache';
import { sendsInFlight } from '../metrics.ts';
import { Semaphore } from './semaphore.ts';

/** Most endpoints answer in a tenth of it. What is claimed ahead becomes stale in the same time. */
const quickMs = 1_000;

/** As long as the longest pause of a circuit. */
const slowMs = 5 * 60_000;

/** The state of an integration needs some hundred bytes. One that is forgotten counts as slow until its next send. */
const maxKnown = 10_000;

interface Pool {
  name: 'quick' | 'slow';
  permits: Semaphore;
}

/**
 * The permits for concurrent sends of a process, in two pools of the same size. An integration uses one of them:
 *
 *   slow --a send within `quickMs`, and no longer one for `slowMs`--> quick
 *     ^------------------------ a longer send -------------------------/
 *
 * slow   A send took longer in the last minutes, or nothing is known of the endpoint since the process began.
 * quick  The last send was short, and so were all others for some minutes.
 *
 * Endpoints that hold their sends for long delay only each other, and those of which nothing is known, however many
 * they are. All permits of an integration belong to one pool. They move with it, so that the other pool may have less
 * than none free.
 */
export class SendSlots {
  readonly #quick: Pool;
  readonly #slow: Pool;
  readonly #holders = new Map<number, { pool: Pool; count: number }>();
  /** When a short send makes an integration quick, in milliseconds of the process; 0 when it is. */
  readonly #quickFrom = new LRUCache<number, number>({ max: maxKnown });

  /** `onFree` is called with integrations that got no permit and may get one. */
  constructor(permitsOfPool: number, onFree: (integrationIds: number[]) => void) {
    this.#quick = { name: 'quick', permits: new Semaphore(permitsOfPool, onFree) };
    this.#slow = { name: 'slow', permits: new Semaphore(permitsOfPool, onFree) };
  }

  /** Whether half of the pool that the integration uses is in use. */
  isHalfUsed(integrationId: number): boolean {
    return this.#poolOf(integrationId).permits.isHalfUsed;
  }

  /** Returns how many. An integration that gets none is passed to `onFree`. */
  acquire(count: number, integrationId: number): number {
    const pool = this.#poolOf(integrationId);
    const acquired = pool.permits.acquire(count, integrationId);
    this.#hold(integrationId, pool, acquired);
    return acquired;
  }

  release(count: number, integrationId: number): void {
    const pool = this.#poolOf(integrationId);
    this.#hold(integrationId, pool, -count);
    pool.permits.release(count);
  }

  /** Notes how long a send took. The integration may change its pool. */
  ended(integrationId: number, durationMs: number): void {
    const now = performance.now();
    if (durationMs > quickMs) this.#quickFrom.set(integrationId, now + slowMs);
    else if ((this.#quickFrom.get(integrationId) ?? 0) <= now) this.#quickFrom.set(integrationId, 0);
    const holder = this.#holders.get(integrationId);
    const pool = this.#knownPoolOf(integrationId);
    if (holder === undefined || holder.pool === pool) return;
    const { pool: before, count } = holder;
    this.#hold(integrationId, before, -count);
    this.#hold(integrationId, pool, count);
    pool.permits.take(count);
    before.permits.release(count);
  }

  #poolOf(integrationId: number): Pool {
    return this.#holders.get(integrationId)?.pool ?? this.#knownPoolOf(integrationId);
  }

  #knownPoolOf(integrationId: number): Pool {
    return this.#quickFrom.get(integrationId) === 0 ? this.#quick : this.#slow;
  }

  #hold(integrationId: number, pool: Pool, change: number): void {
    if (change === 0) return;
    const count = (this.#holders.get(integrationId)?.count ?? 0) + change;
    if (count === 0) this.#holders.delete(integrationId);
    else this.#holders.set(integrationId, { pool, count });
    sendsInFlight.inc({ pool: pool.name }, change);
  }
}
