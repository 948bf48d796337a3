import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from './db/schema.ts';
import { countUnfinished, readOverdueSeconds } from './deliveries/deliveries.repo.ts';
import { countMissed } from './intake/missed-events.repo.ts';
import { countPaused } from './integrations/integrations.repo.ts';
import { intakeLag, missedEvents, overdueSeconds, pausedIntegrations, unfinishedDeliveries } from './metrics.ts';

/** Scrapers come every 15 s or so. */
const measureMs = 5_000;

/** Keeps the gauges of what waits fresh; returns how to stop. */
export function measureLag(
  db: Database<IntegrationsTables>,
  intake: { lag(): Promise<number> },
  log: Logger,
): () => void {
  const timer = setInterval(() => {
    measure(db, intake).catch((error: unknown) => log.debug({ err: error }, 'the lag cannot be read'));
  }, measureMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function measure(db: Database<IntegrationsTables>, intake: { lag(): Promise<number> }): Promise<void> {
  for (const [state, count] of Object.entries(await countUnfinished(db.kysely))) {
    unfinishedDeliveries.set({ state }, count);
  }
  overdueSeconds.set(await readOverdueSeconds(db.kysely));
  pausedIntegrations.set(await countPaused(db.kysely));
  missedEvents.set(await countMissed(db.kysely));
  intakeLag.set(await intake.lag());
}
