import type { Bus, Consumption } from '@yardarm/shared/bus';
import { type Database, inOwnEpoch } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { handleProjectDeleted, projectDeletedConsumer } from './action-sets/follow-flags.ts';
import type { SignalsTables } from './db/schema.ts';
import type { Incarnations } from './signals/incarnations.ts';
import { storeMessages } from './signals/store-messages.ts';

// A batch of signals of 100 kB takes 20 MB of memory. More than 200 rows per statement gain little.
const maxBatch = 200;

/** Replicas share the durable, so one of them stores each message. */
export function consumeSignals(
  bus: Bus,
  resources: { db: Database<SignalsTables>; log: Logger; incarnations: Incarnations },
): Promise<Consumption> {
  return bus.consumeBatches({ stream: 'SIGNALS', durable: 'signals-store', maxBatch }, (messages) =>
    storeMessages(resources, messages),
  );
}

/** A durable for one type, so that signals receives no other event of flags. */
export function consumeProjectDeletions(bus: Bus, resources: { db: Database<SignalsTables> }): Promise<Consumption> {
  return bus.consume(
    { stream: 'EVENTS', durable: projectDeletedConsumer, filter: 'evt.flags.project-deleted' },
    inOwnEpoch(resources.db, (message) => handleProjectDeleted(resources, message)),
  );
}
