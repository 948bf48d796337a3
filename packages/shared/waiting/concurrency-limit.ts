import { AppError } from '../errors/index.ts';

/**
 * Runs at most `max` works at once. The others wait in the order of the calls. A work whose caller no longer waits when
 * its turn comes is not run: `run` throws `unavailable` with the message `refusal`.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #refusal: string;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  async run<Result>({ deadline }: { deadline: number }, work: () => Promise<Result>): Promise<Result> {
    // A work that has ended passes its place on, so `#running` does not change.
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      if (Date.now() >= deadline) throw new AppError('unavailable', this.#refusal, { retryAfterSeconds: 1 });
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
