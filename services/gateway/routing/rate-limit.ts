import { AppError } from '@yardarm/shared/errors';
import { counters, createCounterOf } from './counter-of.ts';

/** Limits the requests of each caller, an address or a user, in each minute, in this process. */
export interface RateLimit {
  /** Throws `rate-limited` when the caller has used up its minute. */
  use(caller: string): void;
}

const windowMs = 60_000;

/** 0 is no limit. Callers share a fixed number of counters, which bounds the memory. */
export function createRateLimit(perMinute: number, clock: () => number = Date.now): RateLimit {
  if (perMinute === 0) return { use: () => {} };
  const counterOf = createCounterOf();
  const counts = new Uint32Array(counters);
  let minute = 0;
  return {
    use(caller) {
      const now = clock();
      const current = Math.floor(now / windowMs);
      if (current !== minute) counts.fill(0);
      minute = current;
      const counter = counterOf(caller);
      if (counts[counter]! >= perMinute) {
        throw new AppError('rate-limited', 'Too many of these requests have come from you. Try again later.', {
          retryAfterSeconds: Math.ceil(((minute + 1) * windowMs - now) / 1000),
        });
      }
      counts[counter]! += 1;
    },
  };
}
