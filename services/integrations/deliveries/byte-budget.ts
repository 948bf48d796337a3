/**
 * Limits the bytes that the sends of several callers hold at once. A send begins while some are left, whatever it then
 * holds, so that the limit is exceeded by one send at most. When bytes are free again, one waiting caller is passed to
 * `onFree`: if all were, each would claim deliveries, and all but one in vain.
 */
export class ByteBudget {
  #free: number;
  readonly #waiting = new Set<number>();
  readonly #onFree: (callers: number[]) => void;

  constructor(bytes: number, onFree: (callers: number[]) => void) {
    this.#free = bytes;
    this.#onFree = onFree;
  }

  /** Whether a send may begin. A caller whose send may not waits. */
  isOpen(caller: number): boolean {
    if (this.#free > 0) this.#waiting.delete(caller);
    else this.#waiting.add(caller);
    return this.#free > 0;
  }

  /** Adds bytes that are held from now on; a negative number is released. */
  hold(bytes: number): void {
    this.#free -= bytes;
    const [next] = this.#waiting;
    if (bytes >= 0 || this.#free <= 0 || next === undefined) return;
    this.#waiting.delete(next);
    this.#onFree([next]);
  }
}
