/** A caller that gets no permit is called when one is free. */
export class Semaphore {
  readonly #permits: number;
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(permits: number) {
    this.#permits = permits;
    this.#free = permits;
  }

  get isHalfUsed(): boolean {
    return this.#free <= this.#permits / 2;
  }

  /** Returns how many. A caller that gets some is not called later, or each unused permit would call it. */
  acquire(count: number, onFree: () => void): number {
    const acquired = Math.max(0, Math.min(count, this.#free));
    this.#free -= acquired;
    if (acquired === 0 && count > 0) this.#waiting.add(onFree);
    return acquired;
  }

  release(count: number): void {
    this.#free += count;
    if (count === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const onFree of waiting) onFree();
  }
}
