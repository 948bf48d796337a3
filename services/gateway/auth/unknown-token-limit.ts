import { AppError } from '@yardarm/shared/errors';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { createCounterOf } from '../routing/counter-of.ts';

/**
 * Limits the unknown tokens that one address may send in a minute, in this process.
 *
 *   - A lookup of a token that is not cached uses a point of its address. The point is returned when the token is known
 *     or the lookup fails. So only unknown tokens count; malformed and cached ones need no lookup.
 *   - Without a free point, a lookup waits for the end of another one of its address: after a start no token is cached.
 *     When no other is in flight, it is refused until the minute of the address has passed.
 *   - Addresses share a fixed number of counters by a salted hash, which bounds the memory: about 250 bytes each for at
 *     most a minute, 16 MB when all of them are used. An address that shares a counter with a guesser is at worst
 *     refused lookups of tokens that are not cached.
 */
export interface UnknownTokenLimit {
  /** Runs the lookup. Throws `rate-limited` without running it when the limit is used up. */
  guard<T>(address: string, lookUp: () => Promise<T | null>): Promise<T | null>;
}

const windowSeconds = 60;

/** 0 is no limit. */
export function createUnknownTokenLimit(perMinute: number): UnknownTokenLimit {
  if (perMinute === 0) return { guard: (_address, lookUp) => lookUp() };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  const lookups = new Map<string, { count: number; ended: PromiseWithResolvers<void> }>();
  const counterOf = createCounterOf();

  async function reserve(counter: string): Promise<void> {
    for (;;) {
      try {
        await limiter.consume(counter);
        begin(counter);
        return;
      } catch (refusal) {
        await limiter.reward(counter);
        const others = lookups.get(counter);
        if (!others) throw tooManyUnknownTokens((refusal as RateLimiterRes).msBeforeNext);
        await others.ended.promise;
      }
    }
  }

  function begin(counter: string): void {
    const others = lookups.get(counter);
    if (others) others.count += 1;
    else lookups.set(counter, { count: 1, ended: Promise.withResolvers() });
  }

  function end(counter: string): void {
    const others = lookups.get(counter);
    if (!others) return;
    others.ended.resolve();
    if (others.count === 1) lookups.delete(counter);
    else lookups.set(counter, { count: others.count - 1, ended: Promise.withResolvers() });
  }

  return {
    async guard(address, lookUp) {
      const counter = String(counterOf(address));
      await reserve(counter);
      let isUnknown = false;
      try {
        const found = await lookUp();
        isUnknown = found === null;
        return found;
      } finally {
        if (!isUnknown) await limiter.reward(counter);
        end(counter);
      }
    },
  };
}

function tooManyUnknownTokens(msBeforeNext: number): AppError {
  return new AppError(
    'rate-limited',
    'Too many unknown tokens have come from your address. Try again later, with a token that exists.',
    { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) },
  );
}
