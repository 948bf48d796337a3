import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { onScrape } from '@yardarm/shared/telemetry';
import type { EventsTables } from './db/schema.ts';
import { recorderLag, relayLag, sourceGaps } from './metrics.ts';
import { findGaps } from './recording/gap-watch.ts';
import { findPosition } from './recording/recordings.repo.ts';
import { findRelayPosition } from './relaying/relay-position.repo.ts';

/** What is left to do, whichever replica does it. */
export interface Lag {
  /** Messages of EVENTS that are not recorded. */
  messages: number;
  /** Events of the log that are not on RECORDED. */
  events: number;
}

/** How far recorder and relay are behind. Throws while the bus or the database is away. */
export async function readLag(db: Database<EventsTables>, bus: Bus): Promise<Lag> {
  // Positions before what they are held against: what moves between two looks shows as a little more lag, never as none, and never
  // as a stream that ends before its position.
  const relayed = await findRelayPosition(db);
  const position = await findPosition(db);
  const events = await bus.streamInfo('EVENTS');
  const recorded = await bus.streamInfo('RECORDED');
  // A stream that ends before the position has lost its newest messages: it is read again from its beginning.
  const isSameEvents = events.incarnation === position.incarnation && position.lastSequence <= events.lastSequence;
  const isSameRecorded = recorded.incarnation === relayed.incarnation && relayed.lastSequence <= recorded.lastSequence;
  return {
    messages: isSameEvents
      ? Math.max(0, events.lastSequence - Math.max(position.lastSequence, events.firstSequence - 1))
      : events.messages,
    events: isSameRecorded ? position.lastId - relayed.lastId : position.lastId,
  };
}

/** Serves the gauges of the lag and of the sources' gaps. Returns the function that ends this. */
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
