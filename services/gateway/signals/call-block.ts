import type { LeaseEnd } from '@yardarm/shared/contracts/signals';

/** The right to accept one signal, with its id and createdAt in milliseconds of the database's clock. */
export interface Admission {
  id: number;
  createdAt: number;
}

/**
 * The admissions of a lease that this gateway holds. Times are of this gateway's monotonic clock. States:
 *
 *   usable  It has an admission, and less than its lifetime has passed since before the request for it.
 *   over    It has none left, or its lifetime has passed.
 *   ended   `end()` was called. It is used no more, and what was said of it stays true.
 *
 * The lifetime begins before signals granted the lease, so it ends here before it ends there, whatever the clocks show.
 * createdAt is the grant time plus what has passed of the lifetime, so it is within the lease.
 */
export class Block {
  readonly #ids: readonly number[];
  readonly #grantedAt: number;
  readonly #lifetimeMs: number;
  readonly #startedAt: number;
  /** Ids that were used and given back. */
  readonly #returned: number[] = [];
  #next = 0;
  #lastUsedAt: number;
  #hasEnded = false;

  /** `startedAt` is the time before the request. */
  constructor(lease: { ids: readonly number[]; grantedAt: number; lifetimeMs: number }, startedAt: number) {
    this.#ids = lease.ids;
    this.#grantedAt = lease.grantedAt;
    this.#lifetimeMs = lease.lifetimeMs;
    this.#startedAt = startedAt;
    this.#lastUsedAt = lease.grantedAt;
  }

  /** How many admissions it has at a time. */
  left(now: number): number {
    if (this.#hasEnded || now - this.#startedAt >= this.#lifetimeMs) return 0;
    return this.#ids.length - this.#next + this.#returned.length;
  }

  /** Null when it is over. */
  use(now: number): Admission | null {
    if (this.left(now) === 0) return null;
    const id = this.#returned.pop() ?? this.#ids[this.#next++]!;
    this.#lastUsedAt = this.#grantedAt + Math.floor(now - this.#startedAt);
    return { id, createdAt: this.#lastUsedAt };
  }

  /** Takes an admission back whose id and createdAt were not shown to any sender. */
  giveBack({ id }: Admission): void {
    if (!this.#hasEnded) this.#returned.push(id);
  }

  /** Ends it, and returns what signals is to know. */
  end(): LeaseEnd {
    this.#hasEnded = true;
    return { leaseId: this.#ids[0]!, endedAt: this.#lastUsedAt, used: this.#next - this.#returned.length };
  }
}
