import { counters, createCounterOf } from '../routing/counter-of.ts';

/**
 * Limits the unknown tokens that are looked up one by one, in a minute, in this process: of each address, and of all.
 * Only unknown tokens count: malformed and cached ones need no lookup, and a known token or a failed lookup is not
 * counted. Beyond the limit a token is looked up only if it exists, which `exists` finds out for many at a time
 * (key-checks.ts). So no token is refused because of others.
 *
 * Addresses share a fixed number of counters by a salted hash, which bounds the memory.
 */
export interface UnknownTokenLimit {
  guard<T>(address: string, lookUp: () => Promise<T | null>, exists: () => Promise<boolean>): Promise<T | null>;
}

const windowMs = 60_000;

/** An owner of many networks has many addresses, so all together may send as many as these. */
const addresses = 20;

/** 0 is no limit. */
export function createUnknownTokenLimit(perMinute: number, clock: () => number = Date.now): UnknownTokenLimit {
  if (perMinute === 0) return { guard: (_address, lookUp) => lookUp() };
  const counterOf = createCounterOf();
  const counts = new Uint32Array(counters);
  let ofAll = 0;
  let beganAt = clock();

  return {
    async guard(address, lookUp, exists) {
      if (clock() - beganAt >= windowMs) {
        counts.fill(0);
        ofAll = 0;
        beganAt = clock();
      }
      const countedIn = beganAt;
      const counter = counterOf(address);
      if (counts[counter]! >= perMinute || ofAll >= perMinute * addresses) return (await exists()) ? lookUp() : null;
      counts[counter]! += 1;
      ofAll += 1;
      let isUnknown = false;
      try {
        const found = await lookUp();
        isUnknown = found === null;
        return found;
      } finally {
        if (!isUnknown && countedIn === beganAt) {
          counts[counter]! -= 1;
          ofAll -= 1;
        }
      }
    },
  };
}
