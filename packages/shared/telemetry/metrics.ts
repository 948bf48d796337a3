import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';
import { version } from './version.ts';

export { Counter, Gauge, Histogram } from 'prom-client';

/** The metrics of the process, served at /metrics. */
export const metrics = new Registry();

/**
 * Adds the metrics of the runtime (event loop, heap, CPU) and of the build to the registry. `runService` calls it once
 * per process.
 */
export function collectRuntimeMetrics(): void {
  collectDefaultMetrics({ register: metrics });
  const build = new Gauge({
    name: 'yardarm_build_info',
    help: 'Always 1; the labels have the versions of Yardarm and of Node',
    labelNames: ['version', 'node'],
    registers: [metrics],
  });
  build.set({ version, node: process.version }, 1);
}

/** What sets the ScrapedGauges of one source. `readAt` is when it last succeeded, at first when it began. */
interface Reader {
  readonly name: string;
  readonly read: () => Promise<void>;
  readAt: number;
}

const scraped = new Set<ScrapedGauge>();
const readers = new Set<Reader>();

/** A gauge whose value needs I/O. A reader (`onScrape`) sets it at each scrape, else the scrape does not have it. */
export class ScrapedGauge<Label extends string = string> extends Gauge<Label> {
  constructor(configuration: GaugeConfiguration<Label>) {
    super({ registers: [metrics], ...configuration });
    scraped.add(this as ScrapedGauge);
  }
}

// A gauge that is absent reads as 0 to some autoscalers. This one is present while the process answers.
const age = new Gauge({
  name: 'yardarm_scrape_age_seconds',
  help: 'Time since the gauges of this reader were last read; near 0 if this scrape has them',
  labelNames: ['reader'],
  registers: [metrics],
  collect() {
    age.reset();
    // The readers of several services in one process can have one name, as in tests. The oldest counts.
    const oldestLast = [...readers].sort((one, other) => other.readAt - one.readAt);
    for (const { name, readAt } of oldestLast) age.set({ reader: name }, (performance.now() - readAt) / 1_000);
  },
});

/** Prometheus waits 10 s for a scrape unless configured otherwise. A reader's statements take milliseconds. */
const readLimitMs = 1_000;

/**
 * Calls `read` at each scrape to set its ScrapedGauges. `name` is the value of the label `reader` of the age. Returns
 * the function that ends this.
 */
export function onScrape(name: string, read: () => Promise<void>): () => void {
  let isReading = false;
  const reader: Reader = {
    name,
    readAt: performance.now(),
    async read() {
      // If the database does not answer, each reader has one open statement, even with many scrapes.
      if (isReading) return;
      isReading = true;
      // After a failure the scrape does not have the gauge, and /ready names the cause.
      await read().then(
        () => {
          reader.readAt = performance.now();
        },
        () => {},
      );
      isReading = false;
    },
  };
  readers.add(reader);
  return () => void readers.delete(reader);
}

let reading: Promise<void> | null = null;

/** Returns the text of a scrape within about a second. Concurrent scrapes share one. */
export async function scrape(): Promise<string> {
  await readAll();
  return metrics.metrics();
}

/** Returns the values of all ScrapedGauges within about a second, as a scrape has them. */
export async function readGauges(): Promise<{ name: string; labels: Record<string, string>; value: number }[]> {
  await readAll();
  const gauges = await Promise.all([...scraped].map((gauge) => gauge.get()));
  return gauges.flatMap(({ name, values }) =>
    values.map(({ labels, value }) => ({ name, labels: labels as Record<string, string>, value })),
  );
}

function readAll(): Promise<void> {
  reading ??= readScraped().finally(() => {
    reading = null;
  });
  return reading;
}

async function readScraped(): Promise<void> {
  for (const gauge of scraped) {
    gauge.reset();
    // `reset` gives a gauge without labels the value 0.
    gauge.remove({});
  }
  const reads = Promise.all([...readers].map(({ read }) => read()));
  await Promise.race([reads, sleep(readLimitMs, undefined, { ref: false })]);
}
