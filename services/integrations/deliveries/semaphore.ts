/**
 * Limits what several callers do at once. The callers that got no permit are passed to `onFree` when one is free. Works
 * of a `ConcurrencyLimit` wait; a dispatcher takes the permits that there are, and claims as many deliveries.
 */
export class Semaphore {
  readonly #permits: number;
  #free: number;
  readonly #waiting = new Set<number>();
  readonly #onFree: (callers: number[]) => void;

  constructor(permits: number, onFree: (callers: number[]) => void) {
    this.#permits = permits;
    this.#free = permits;
    this.#onFree = onFree;
  }

  get isHalfUsed(): boolean {
    return this.#free <= this.#permits / 2;
  }

  /** Returns how many. A caller that gets some does not wait for more, or each unused permit would call it. */
  acquire(count: number, caller: number): number {
    const acquired = Math.max(0, Math.min(count, this.#free));
    this.#free -= acquired;
    if (acquired === 0 && count > 0) this.#waiting.add(caller);
    return acquired;
  }

  /** Adds permits that are in use already. Fewer than none are then free, until some are released. */
  take(count: number): void {
    this.#free -= count;
  }

  release(count: number): void {
    this.#free += count;
    if (count === 0 || this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#onFree(waiting);
  }
}
