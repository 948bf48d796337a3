import { type Bus, countBehind, isLost } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { onScrape } from '@yardarm/shared/telemetry';
import type { EventsTables } from './db/schema.ts';
import { recorderLag, relayLag, sourceGaps } from './metrics.ts';
import { findGaps } from './recording/gap-watch.ts';
import { findPosition } from './recording/recordings.repo.ts';
import { findRelayPosition } from './relaying/relay-position.repo.ts';

/** The backlog of recorder and relay, whichever replica works on it. */
export interface Lag {
  /** Messages of EVENTS that are not recorded. */
  messages: number;
  /** Events of the log that are not on RECORDED. */
  events: number;
}

/** Throws while the bus or the database is unavailable. */
export async function readLag(db: Database<EventsTables>, bus: Bus): Promise<Lag> {
  const relayed = await findRelayPosition(db);
  const position = await findPosition(db);
  const events = await bus.streamInfo('EVENTS');
  const recorded = await bus.streamInfo('RECORDED');
  return {
    messages: countBehind(position, events),
    events: isLost(relayed, recorded) ? position.lastId : position.lastId - relayed.lastId,
  };
}

/** Sets the gauges of the lag and of the sources' gaps at each scrape. Returns the function that ends this. */
export function measureLag(db: Database<EventsTables>, bus: Bus): () => void {
  const stops = [
    onScrape(async () => {
      const lag = await readLag(db, bus);
      recorderLag.set(lag.messages);
      relayLag.set(lag.events);
    }),
    onScrape(async () => {
      for (const { source, missing } of await findGaps(db, new Date())) sourceGaps.set({ source }, missing);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
