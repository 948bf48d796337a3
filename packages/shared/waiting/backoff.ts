export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
}

/**
 * The delay before a retry: `firstMs` after the first failure (`failures` is 1), doubled by each further one, at most
 * `maxMs`. `Math.random()` as `random` spreads the retries of callers that fail together over the whole delay.
 */
export function backoff(failures: number, { firstMs, maxMs }: BackoffLimits, random = 1): number {
  return random * Math.min(maxMs, firstMs * 2 ** (Math.max(1, failures) - 1));
}
