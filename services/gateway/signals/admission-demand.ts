/** A gateway requests a block of an endpoint at most every 25 ms, so at most 40 in a second. */
export const requestIntervalMs = 25;
/** Of the newest answer in the EWMA. A slow answer is expected again for some ten requests. */
const ewmaWeight = 0.1;

/**
 * What a gateway expects of the next request for a block: how long its answer takes, and how many requests of senders
 * arrive meanwhile. Times are of one monotonic clock.
 */
export class AdmissionDemand {
  /**
   * A peak EWMA: it follows a slower answer at once, and a faster one by a tenth. On a busy machine answers of 10 ms
   * and of 100 ms alternate, and senders would wait for each slow one.
   */
  #rttMs = 0;
  #arrivals = 0;
  #arrivalsSince: number;
  #arrivalsPerMs = 0;

  constructor(now: number) {
    this.#arrivalsSince = now;
  }

  get rttMs(): number {
    return this.#rttMs;
  }

  addArrival(): void {
    this.#arrivals += 1;
  }

  addRtt(ms: number): void {
    this.#rttMs = Math.max(ms, this.#rttMs + (ms - this.#rttMs) * ewmaWeight);
  }

  /** Measures the rate of arrivals since the last measurement. */
  measureArrivals(now: number): void {
    // One arrival in a millisecond says little about the next ones: what is not used is missing elsewhere.
    this.#arrivalsPerMs = this.#arrivals / Math.max(requestIntervalMs, now - this.#arrivalsSince);
    this.#arrivals = 0;
    this.#arrivalsSince = now;
  }

  /** The arrivals within a time, by the last measurement. */
  arrivalsIn(ms: number): number {
    return this.#arrivalsPerMs * ms;
  }
}
