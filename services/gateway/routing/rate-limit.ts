import { AppError } from '@yardarm/shared/errors';
import { counters, createCounterOf } from './counter-of.ts';

/** Limits the requests of one address in each minute, in this process. */
export interface RateLimit {
  /** Throws `rate-limited` when the address has used up its minute. */
  use(address: string): void;
}

const windowMs = 60_000;

/** 0 is no limit. Addresses share a fixed number of counters, which bounds the memory. */
export function createRateLimit(perMinute: number, clock: () => number = Date.now): RateLimit {
  if (perMinute === 0) return { use: () => {} };
  const counterOf = createCounterOf();
  const counts = new Uint32Array(counters);
  let minute = 0;
  return {
    use(address) {
      const now = clock();
      const current = Math.floor(now / windowMs);
      if (current !== minute) counts.fill(0);
      minute = current;
      const counter = counterOf(address);
      if (counts[counter]! >= perMinute) {
        throw new AppError('rate-limited', 'Too many of these requests have come from your address. Try again later.', {
          retryAfterSeconds: Math.ceil(((minute + 1) * windowMs - now) / 1000),
        });
      }
      counts[counter]! += 1;
    },
  };
}
