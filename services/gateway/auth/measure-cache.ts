import type { ServiceName } from '@yardarm/shared/contracts';
import { onScrape } from '@yardarm/shared/telemetry';
import { cachedTokens, tokenLookups } from '../metrics.ts';
import type { HintedCache } from './hinted-cache.ts';

/**
 * Serves the metrics of a cache of tokens at each scrape. The cache counts in plain numbers, because a look-up of a
 * labelled counter takes as long as a look-up of a token. Returns the function that ends this.
 */
export function measureCache<Value>(owner: ServiceName, cache: HintedCache<Value>): () => void {
  const counted = { ...cache.lookups };
  return onScrape(`${owner}-tokens`, async () => {
    for (const result of Object.keys(counted) as (keyof typeof counted)[]) {
      tokenLookups.inc({ owner, result }, cache.lookups[result] - counted[result]);
      counted[result] = cache.lookups[result];
    }
    for (const [state, count] of Object.entries(cache.sizes())) cachedTokens.set({ owner, state }, count);
  });
}
