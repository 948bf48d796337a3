/**
 * Lets one loop wait until it is woken, a time has passed, or a signal aborts. A wake-up while the loop does not wait
 * ends its next wait at once, so that none is lost. Several such wake-ups end one wait.
 */
export class WakeUp {
  #isWoken = false;
  #end: (() => void) | null = null;

  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Never rejects. Only one caller may wait at a time. A limit of the past is one of 0 ms. */
  async wait(limitMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isWoken && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          this.#end = null;
          resolve();
        };
        const timer = setTimeout(end, Math.max(0, limitMs));
        signal?.addEventListener('abort', end);
        this.#end = end;
      });
    }
    this.#isWoken = false;
  }
}

/** Waits for a time, or until the signal aborts. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new WakeUp().wait(ms, signal);
}
