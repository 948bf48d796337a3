export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
}

/**
 * The delay before a retry: `firstMs` after the first failure in a row (`failures` is 1), doubled by each further one, at most
 * `maxMs`. Pass `Math.random()` as `random` where several callers fail together: it spreads them over the whole delay.
 */
export function backoff(failures: number, { firstMs, maxMs }: BackoffLimits, random = 1): number {
  return random * Math.min(maxMs, firstMs * 2 ** (Math.max(1, failures) - 1));
}
