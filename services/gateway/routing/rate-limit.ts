import { RateLimited } from '../rate-limited.ts';
import { counters, createCounterOf } from './counter-of.ts';

/** Limits the requests of each caller, an address or a user, in each minute, in this process. */
export interface RateLimit {
  /** Throws `rate-limited` when the caller has used up its minute. */
  use(caller: string): void;
  /** Null when the caller has used up its minute; else a function that gives the use back, until the minute ends. */
  tryUse(caller: string): (() => void) | null;
}

const windowMs = 60_000;

/** 0 is no limit. Callers share a fixed number of counters, which bounds the memory. */
export function createRateLimit(perMinute: number, clock: () => number = Date.now): RateLimit {
  if (perMinute === 0) return { use: () => {}, tryUse: () => () => {} };
  const counterOf = createCounterOf();
  const counts = new Uint32Array(counters);
  let minute = 0;

  function tryUse(caller: string, now = clock()): (() => void) | null {
    const current = Math.floor(now / windowMs);
    if (current !== minute) counts.fill(0);
    minute = current;
    const counter = counterOf(caller);
    if (counts[counter]! >= perMinute) return null;
    counts[counter]! += 1;
    return () => {
      if (current === minute) counts[counter]! -= 1;
    };
  }

  return {
    tryUse: (caller) => tryUse(caller),
    use(caller) {
      const now = clock();
      if (tryUse(caller, now)) return;
      const retryAfterSeconds = Math.ceil(((minute + 1) * windowMs - now) / 1000);
      throw new RateLimited(
        'requests',
        'Too many of these requests have come from you. Try again later.',
        retryAfterSeconds,
      );
    },
  };
}
