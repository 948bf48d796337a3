import { AppError } from '../errors/index.ts';

export type Turns = <Result>(caller: { deadline: number }, work: () => Promise<Result>) => Promise<Result>;

/**
 * Runs at most `max` works at once. The others wait in the order of the calls. A work whose caller no longer waits at
 * its turn is not run: it throws `unavailable` with the message `refusal`.
 */
export function createTurns(max: number, refusal: string): Turns {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async ({ deadline }, work) => {
    // A work that has ended passes its turn on, so `running` does not change.
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      if (Date.now() >= deadline) throw new AppError('unavailable', refusal, { retryAfterSeconds: 1 });
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
