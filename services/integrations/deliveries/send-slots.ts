import { LRUCache } from 'lru-cache';
import { heldBytes, sendsInFlight } from '../metrics.ts';
import { ByteBudget } from './byte-budget.ts';
import { CostlyTurns } from './costly-turns.ts';
import { Semaphore } from './semaphore.ts';

/** Most endpoints answer in a tenth of it. What is claimed ahead becomes stale in the same time. */
const quickMs = 1_000;

/** As long as the longest pause of a circuit. */
const slowMs = 5 * 60_000;

/** The state of an integration needs some hundred bytes. One that is forgotten counts as slow until its next send. */
const maxKnown = 10_000;

/** What an integration has of its pool. */
interface Share {
  permits: number;
  bytes: number;
}

interface Pool {
  name: 'quick' | 'slow';
  permits: Semaphore;
  bytes: ByteBudget;
}

/**
 * The permits for concurrent sends of a process, and the bytes that these hold, in two pools of the same size. An
 * integration uses one of them:
 *
 *   slow --a send within `quickMs`, and no longer one for `slowMs`--> quick
 *     ^------------------------ a longer send -------------------------/
 *
 * slow   A send took longer in the last minutes, or nothing is known of the endpoint since the process began.
 * quick  The last send was short, and so were all others for some minutes.
 *
 * Endpoints that hold their sends for long delay only each other, and those of which nothing is known, however many
 * they are. All that an integration has belongs to one pool. It moves with it, so that the other pool may have less
 * than none free.
 */
export class SendSlots {
  readonly #quick: Pool;
  readonly #slow: Pool;
  readonly #turns: CostlyTurns;
  readonly #holders = new Map<number, { pool: Pool; share: Share }>();
  /** When a short send makes an integration quick, in milliseconds of the process; 0 when it is. */
  readonly #quickFrom = new LRUCache<number, number>({ max: maxKnown });

  /** `onFree` is called with integrations that could not begin a send and may be able to. */
  constructor(ofPool: Share, onFree: (integrationIds: number[]) => void) {
    const pool = (name: Pool['name']): Pool => ({
      name,
      permits: new Semaphore(ofPool.permits, onFree),
      bytes: new ByteBudget(ofPool.bytes, onFree),
    });
    this.#quick = pool('quick');
    this.#slow = pool('slow');
    this.#turns = new CostlyTurns(onFree);
  }

  /** Whether half of the permits of its pool are in use. */
  isHalfUsed(integrationId: number): boolean {
    return this.#poolOf(integrationId).permits.isHalfUsed;
  }

  /**
   * Whether bytes are left for a send, and a turn if its messages are costly. An integration without is passed to
   * `onFree`.
   */
  isOpen(integrationId: number): boolean {
    return this.#poolOf(integrationId).bytes.isOpen(integrationId) && this.#turns.isOpen(integrationId);
  }

  /** Notes the CPU time of making a message. */
  took(integrationId: number, cpuMs: number): void {
    this.#turns.took(integrationId, cpuMs);
  }

  /** Adds bytes that a send holds; a negative number is released. */
  hold(bytes: number, integrationId: number): void {
    const pool = this.#poolOf(integrationId);
    this.#note(integrationId, pool, { permits: 0, bytes });
    pool.bytes.hold(bytes);
  }

  /** Returns how many. An integration that gets none is passed to `onFree`. */
  acquire(count: number, integrationId: number): number {
    const pool = this.#poolOf(integrationId);
    const acquired = pool.permits.acquire(count, integrationId);
    this.#note(integrationId, pool, { permits: acquired, bytes: 0 });
    return acquired;
  }

  release(count: number, integrationId: number): void {
    const pool = this.#poolOf(integrationId);
    this.#note(integrationId, pool, { permits: -count, bytes: 0 });
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
    const { pool: before, share } = holder;
    this.#note(integrationId, before, { permits: -share.permits, bytes: -share.bytes });
    this.#note(integrationId, pool, share);
    pool.permits.take(share.permits);
    pool.bytes.hold(share.bytes);
    before.permits.release(share.permits);
    before.bytes.hold(-share.bytes);
  }

  #poolOf(integrationId: number): Pool {
    return this.#holders.get(integrationId)?.pool ?? this.#knownPoolOf(integrationId);
  }

  #knownPoolOf(integrationId: number): Pool {
    return this.#quickFrom.get(integrationId) === 0 ? this.#quick : this.#slow;
  }

  #note(integrationId: number, pool: Pool, change: Share): void {
    const before = this.#holders.get(integrationId)?.share ?? { permits: 0, bytes: 0 };
    const share = { permits: before.permits + change.permits, bytes: before.bytes + change.bytes };
    if (share.permits === 0 && share.bytes === 0) this.#holders.delete(integrationId);
    else this.#holders.set(integrationId, { pool, share });
    sendsInFlight.inc({ pool: pool.name }, change.permits);
    heldBytes.inc({ pool: pool.name }, change.bytes);
  }
}
