const secondMs = 1_000;

/** The times of the last second at which something was done, to do it at most so often in any second. */
export class RateWindow {
  #times: number[] = [];

  /** How long to wait until it has been done less than `max` times in a second; 0 when it may be done now. */
  waitMs(now: number, max: number): number {
    this.#times = this.#times.filter((at) => now - at < secondMs);
    const first = this.#times.at(-max);
    return first === undefined ? 0 : first + secondMs - now;
  }

  add(now: number): void {
    this.#times.push(now);
  }
}
