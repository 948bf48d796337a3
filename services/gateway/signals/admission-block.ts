import type { BlockEnd } from '@yardarm/shared/contracts/signals';

/** The right to accept one signal, with its id and createdAt in milliseconds of the database's clock. */
export interface Admission {
  id: number;
  createdAt: number;
}

/**
 * A block of admissions that this gateway holds. Times are of this gateway's monotonic clock. States:
 *
 *   usable  It has an admission for a request that arrives now: less than its lifetime has passed since it was
 *           requested.
 *   over    It has none: all are used, or its lifetime has passed.
 *   ended   `end()` was called. It is used no more, and what was said of it stays true.
 *
 * A request that arrived before the block was requested may use it whenever the answer comes. So a block of lifetime 0
 * serves the requests for which it was requested.
 *
 * createdAt is the time of the grant plus the part of the lifetime that had passed when the signal's request arrived:
 *
 *   1. It is within the block, whatever the clocks show, because the lifetime begins before signals grants the block.
 *   2. It is not before the arrival. So an action set that was enabled before matches the signal.
 */
export class AdmissionBlock {
  readonly #ids: readonly number[];
  readonly #grantedAt: number;
  readonly #lifetimeMs: number;
  readonly #requestedAt: number;
  /** Ids that were used and given back. */
  readonly #returned: number[] = [];
  #next = 0;
  #lastCreatedAt: number;
  #hasEnded = false;

  constructor(granted: { ids: readonly number[]; grantedAt: number; lifetimeMs: number }, requestedAt: number) {
    this.#ids = granted.ids;
    this.#grantedAt = granted.grantedAt;
    this.#lifetimeMs = granted.lifetimeMs;
    this.#requestedAt = requestedAt;
    this.#lastCreatedAt = granted.grantedAt;
  }

  /** How many admissions it has for requests that arrive at a time. */
  left(arrivedAt: number): number {
    const isLate = arrivedAt > this.#requestedAt && arrivedAt - this.#requestedAt >= this.#lifetimeMs;
    return this.#hasEnded || isLate ? 0 : this.#ids.length - this.#next + this.#returned.length;
  }

  /** Null when it has none for a request that arrived at that time. */
  use(arrivedAt: number): Admission | null {
    if (this.left(arrivedAt) === 0) return null;
    const id = this.#returned.pop() ?? this.#ids[this.#next++]!;
    const passedMs = Math.floor(Math.max(0, arrivedAt - this.#requestedAt));
    this.#lastCreatedAt = Math.max(this.#lastCreatedAt, this.#grantedAt + passedMs);
    return { id, createdAt: this.#grantedAt + passedMs };
  }

  /** Takes an admission back whose id and createdAt were not shown to any sender. False if it is not of this block. */
  giveBack({ id }: Admission): boolean {
    if (this.#hasEnded || !this.#ids.includes(id)) return false;
    this.#returned.push(id);
    return true;
  }

  /** Ends it, and returns what signals is to know. */
  end(): BlockEnd {
    this.#hasEnded = true;
    return { leaseId: this.#ids[0]!, endedAt: this.#lastCreatedAt, used: this.#next - this.#returned.length };
  }
}
