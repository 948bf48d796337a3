import type { Database } from '@yardarm/shared/db';
import { onScrape } from '@yardarm/shared/telemetry';
import type { IntegrationsTables } from './db/schema.ts';
import { countUnfinished, findOverdueSeconds } from './deliveries/deliveries.repo.ts';
import { countMissed } from './intake/replays.repo.ts';
import { countPaused } from './integrations/integrations.repo.ts';
import { intakeLag, missedEvents, overdueSeconds, pausedIntegrations, unfinishedDeliveries } from './metrics.ts';

/** Serves the gauges of waiting work. Returns a function that stops it. */
export function measureLag(db: Database<IntegrationsTables>, intake: { lag(): Promise<number> }): () => void {
  return onScrape('integrations', () => measure(db, intake));
}

async function measure(db: Database<IntegrationsTables>, intake: { lag(): Promise<number> }): Promise<void> {
  overdueSeconds.set(await findOverdueSeconds(db.kysely));
  pausedIntegrations.set(await countPaused(db.kysely));
  missedEvents.set(await countMissed(db.kysely));
  intakeLag.set(await intake.lag());
  for (const [state, count] of Object.entries(await countUnfinished(db.kysely))) {
    unfinishedDeliveries.set({ state }, count);
  }
}
