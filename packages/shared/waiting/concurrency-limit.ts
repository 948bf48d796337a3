import { AppError } from '../errors/index.ts';

/** A refusal needs as long at most to reach the caller of a busy system. Later, the caller has given up. */
const answerMs = 250;

/** A timer cannot wait longer: 24 days. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs at most `max` works at once. The others wait in the order of the calls. A work whose turn has not come shortly
 * before the deadline of its caller is not run: `run` throws `unavailable` with the message `refusal`, and the caller
 * knows that nothing was done. After `stop` no work begins: those that wait are refused at once, and those that run end
 * by themselves.
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
    if (this.#running >= this.#max) await this.#turn(deadline);
    else this.#running += 1;
    try {
      if (Date.now() >= deadline) throw this.#refused();
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

  async #turn(deadline: number): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    const refuse = () => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      turn.reject(this.#refused());
    };
    const timer = setTimeout(refuse, Math.min(deadline - answerMs - Date.now(), maxTimerMs));
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #refused(): AppError {
    return new AppError('unavailable', this.#refusal, { retryAfterSeconds: 1 });
  }
}

/** The caller may try again at once: another replica serves it, or this one after its restart. */
export function stopping(): AppError {
  return new AppError('unavailable', 'This process is stopping; nothing was done.', { retryAfterSeconds: 1 });
}
