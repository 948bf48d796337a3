import { onScrape, ScrapedGauge } from '../telemetry/index.ts';

const lagGauge = new ScrapedGauge({
  name: 'yardarm_bus_consumer_lag_messages',
  help: 'Messages of a stream that a durable has not handled yet, over all replicas',
  labelNames: ['stream', 'durable'],
});

/**
 * Sets the gauge of a durable at each scrape. The leader of the consumer answers for all replicas of the service, so
 * that each replica reports the same number: take the maximum, not the sum. Returns the function that ends this.
 */
export function measureConsumer(stream: string, durable: string, lag: () => Promise<number>): () => void {
  return onScrape(durable, async () => lagGauge.set({ stream, durable }, await lag()));
}
