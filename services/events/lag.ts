import { type Bus, countBehind } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { onScrape } from '@yardarm/shared/telemetry';
import type { EventsTables } from './db/schema.ts';
import { recorderLag, sourceGaps } from './metrics.ts';
import { findGaps } from './recording/gap-watch.ts';
import { findPosition } from './recording/recordings.repo.ts';

/** The messages of EVENTS that no replica has recorded. Throws while the bus or the database is unavailable. */
export async function readLag(db: Database<EventsTables>, bus: Bus): Promise<number> {
  const position = await findPosition(db);
  return countBehind(position, await bus.streamInfo('EVENTS'));
}

/** Sets the gauges of the lag and of the sources' gaps at each scrape. Returns the function that ends this. */
export function measureLag(db: Database<EventsTables>, bus: Bus): () => void {
  const stops = [
    onScrape('recorder', async () => recorderLag.set(await readLag(db, bus))),
    onScrape('source-gaps', async () => {
      for (const { source, missing } of await findGaps(db, new Date())) sourceGaps.set({ source }, missing);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
