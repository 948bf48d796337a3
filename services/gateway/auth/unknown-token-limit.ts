import { createRateLimit } from '../routing/rate-limit.ts';

/**
 * Limits the unknown tokens that are looked up one by one, in a minute, in this process: of each address, and of all.
 * Only unknown tokens count: malformed and cached ones need no lookup, and a known token or a failed lookup is not
 * counted. Beyond the limit a token is looked up only if it exists, which `exists` finds out for many at a time
 * (key-checks.ts). So no token is refused because of others.
 */
export interface UnknownTokenLimit {
  guard<T>(address: string, lookUp: () => Promise<T | null>, exists: () => Promise<boolean>): Promise<T | null>;
}

/** An owner of many networks has many addresses, so all together may send as many as these. */
const addresses = 20;

/** The caller of the limit of all addresses together. */
const everyAddress = '*';

/** 0 is no limit. */
export function createUnknownTokenLimit(perMinute: number, clock: () => number = Date.now): UnknownTokenLimit {
  const ofEach = createRateLimit(perMinute, clock);
  const ofAll = createRateLimit(perMinute * addresses, clock);

  /** Null beyond a limit; else a function that gives both uses back. */
  function tryUse(address: string): (() => void) | null {
    const giveBackOfEach = ofEach.tryUse(address);
    if (giveBackOfEach === null) return null;
    const giveBackOfAll = ofAll.tryUse(everyAddress);
    if (giveBackOfAll === null) {
      giveBackOfEach();
      return null;
    }
    return () => {
      giveBackOfEach();
      giveBackOfAll();
    };
  }

  return {
    async guard(address, lookUp, exists) {
      const giveBack = tryUse(address);
      if (giveBack === null) return (await exists()) ? lookUp() : null;
      let isUnknown = false;
      try {
        const found = await lookUp();
        isUnknown = found === null;
        return found;
      } finally {
        if (!isUnknown) giveBack();
      }
    },
  };
}
