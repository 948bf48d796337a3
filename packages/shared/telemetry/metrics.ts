import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';

/** The process's metrics, served at /metrics beside health. */
export const metrics = new Registry();

/** Adds the runtime's own figures (event loop, heap, CPU) to the registry; once per process, by runService. */
export function collectRuntimeMetrics(): void {
  collectDefaultMetrics({ register: metrics });
}

const scraped = new Set<ScrapedGauge>();
const readers = new Set<() => Promise<void>>();

/**
 * A gauge whose value costs I/O. A reader sets it at each scrape (`onScrape`); a scrape lacks it when no reader did.
 */
export class ScrapedGauge<Label extends string = string> extends Gauge<Label> {
  constructor(configuration: GaugeConfiguration<Label>) {
    super({ registers: [metrics], ...configuration });
    scraped.add(this as ScrapedGauge);
  }
}

/** Prometheus waits 10 s for a scrape unless configured otherwise. A reader's statements take milliseconds. */
const readLimitMs = 1_000;

/** Runs `read`, which sets ScrapedGauges, at each scrape. Returns the function that ends this. */
export function onScrape(read: () => Promise<void>): () => void {
  let isReading = false;
  const reader = async (): Promise<void> => {
    // A database that does not answer holds one statement of each reader, however often a scraper asks.
    if (isReading) return;
    isReading = true;
    // The scrape lacks the gauge, and /ready names the cause.
    await read().catch(() => {});
    isReading = false;
  };
  readers.add(reader);
  return () => void readers.delete(reader);
}

let scraping: Promise<string> | null = null;

/** The text of a scrape, within about a second. Scrapes at the same time share one. */
export function scrape(): Promise<string> {
  scraping ??= readAndFormat().finally(() => {
    scraping = null;
  });
  return scraping;
}

async function readAndFormat(): Promise<string> {
  for (const gauge of scraped) {
    gauge.reset();
    // `reset` gives a gauge without labels the value 0.
    gauge.remove({});
  }
  const reads = Promise.all([...readers].map((read) => read()));
  await Promise.race([reads, sleep(readLimitMs, undefined, { ref: false })]);
  return metrics.metrics();
}
