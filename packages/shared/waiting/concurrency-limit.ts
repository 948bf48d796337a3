import { AppError } from '../errors/index.ts';

/**
 * Runs at most `max` works at once. The others wait in the order of the calls. A work whose caller no longer waits when
 * its turn comes is not run: `run` throws `unavailable` with the message `refusal`. After `stop` no work begins: those
 * that wait are refused at once, and those that run end by themselves.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #refusal: string;
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #running = 0;
  #isStopped = false;

  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  async run<Result>({ deadline }: { deadline: number }, work: () => Promise<Result>): Promise<Result> {
    if (this.#isStopped) throw stopping();
    // A work that has ended passes its place on, so `#running` does not change.
    if (this.#running >= this.#max) await this.#turn();
    else this.#running += 1;
    try {
      if (Date.now() >= deadline) throw new AppError('unavailable', this.#refusal, { retryAfterSeconds: 1 });
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.resolve();
      else this.#running -= 1;
    }
  }

  /** For a process that stops: each that waits could wait until its deadline. */
  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopping());
  }

  #turn(): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    return turn.promise;
  }
}

/** The caller may try again at once: another replica serves it, or this one after its restart. */
export function stopping(): AppError {
  return new AppError('unavailable', 'This process is stopping; nothing was done.', { retryAfterSeconds: 1 });
}
