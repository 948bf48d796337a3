import { createHash, randomBytes } from 'node:crypto';
import { networkOf } from '@yardarm/shared/auth';
import { AppError } from '@yardarm/shared/errors';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/**
 * How many unknown tokens one address may show in a minute, in this process.
 *
 *   - A lookup of a token that nothing is remembered of takes a place of its address, and gives it back when the token turns out to be
 *     known, or when nobody could say. So only unknown tokens count; malformed and remembered ones never come here.
 *   - Without a free place: who has others of the same address under way waits for the first of them, since a gateway that has just
 *     started knows nobody; without any, it is refused until the minute of the address is over.
 *   - Addresses share a fixed number of counters, chosen by a hash that nobody outside knows: memory is bounded whatever comes, and an
 *     address that shares a counter with a guesser is at worst refused lookups of tokens that are new here.
 */
export interface UnknownTokenLimit {
  /** Looks up under the limit. Throws `rate-limited` without looking up when it is used up. */
  guard<T>(address: string, lookUp: () => Promise<T | null>): Promise<T | null>;
}

const windowSeconds = 60;
// About 250 bytes each for at most a minute: 16 MB when all are in use.
const counters = 65_536;

/** Makes the limit; 0 a minute is none. */
export function createUnknownTokenLimit(perMinute: number): UnknownTokenLimit {
  if (perMinute === 0) return { guard: (_address, lookUp) => lookUp() };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  const underWay = new Map<string, { count: number; ended: PromiseWithResolvers<void> }>();
  const salt = randomBytes(16);

  function counterOf(address: string): string {
    const digest = createHash('sha256').update(salt).update(networkOf(address)).digest();
    return String(digest.readUInt32BE() % counters);
  }

  async function takePlace(counter: string): Promise<void> {
    for (;;) {
      try {
        await limiter.consume(counter);
        begin(counter);
        return;
      } catch (refusal) {
        await limiter.reward(counter);
        const others = underWay.get(counter);
        if (!others) throw tooManyUnknown((refusal as RateLimiterRes).msBeforeNext);
        await others.ended.promise;
      }
    }
  }

  function begin(counter: string): void {
    const others = underWay.get(counter);
    if (others) others.count += 1;
    else underWay.set(counter, { count: 1, ended: Promise.withResolvers() });
  }

  function end(counter: string): void {
    const others = underWay.get(counter);
    if (!others) return;
    others.ended.resolve();
    if (others.count === 1) underWay.delete(counter);
    else underWay.set(counter, { count: others.count - 1, ended: Promise.withResolvers() });
  }

  return {
    async guard(address, lookUp) {
      const counter = counterOf(address);
      await takePlace(counter);
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

function tooManyUnknown(msBeforeNext: number): AppError {
  return new AppError(
    'rate-limited',
    'Too many unknown tokens have come from your address. Try again later, with a token that exists.',
    { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) },
  );
}
