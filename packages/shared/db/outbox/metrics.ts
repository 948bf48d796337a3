import { onScrape, ScrapedGauge } from '../../telemetry/index.ts';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';
import { findLag } from './rows.ts';

// The label separates services that run in one process, as in tests.
const labelNames = ['service'] as const;

const rowsGauge = new ScrapedGauge({
  name: 'yardarm_outbox_rows',
  help: 'Committed events of the outbox that are not marked as published, counted up to 100,000',
  labelNames,
});

const oldestGauge = new ScrapedGauge({
  name: 'yardarm_outbox_oldest_seconds',
  help: 'Age of the oldest of these events; 0 without one',
  labelNames,
});

/** Sets the gauges of a service's outbox at each scrape. Returns a function that stops it. */
export function measureOutbox({ kysely, service }: Database<SharedTables>): () => void {
  return onScrape('outbox', async () => {
    const { rows, oldestSeconds } = await findLag(kysely);
    rowsGauge.set({ service }, rows);
    oldestGauge.set({ service }, oldestSeconds);
  });
}
