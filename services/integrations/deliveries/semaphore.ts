/** Permits that are taken and given back; who gets none is called when one is free. */
export class Semaphore {
  readonly #permits: number;
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(permits: number) {
    this.#permits = permits;
    this.#free = permits;
  }

  get isHalfTaken(): boolean {
    return this.#free <= this.#permits / 2;
  }

  /** Takes up to `count`; returns how many. Whoever got some is not called: giving back what it did not use would call it again and again. */
  take(count: number, onFree: () => void): number {
    const taken = Math.max(0, Math.min(count, this.#free));
    this.#free -= taken;
    if (taken === 0 && count > 0) this.#waiting.add(onFree);
    return taken;
  }

  release(count: number): void {
    this.#free += count;
    if (count === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const onFree of waiting) onFree();
  }
}
