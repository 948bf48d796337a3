import { onScrape } from '@yardarm/shared/telemetry';
import { storeLag } from './metrics.ts';

/** Sets the gauge of waiting messages at each scrape. Returns the function that ends this. */
export function measureLag(store: { lag(): Promise<number> }): () => void {
  return onScrape('store', async () => storeLag.set(await store.lag()));
}
