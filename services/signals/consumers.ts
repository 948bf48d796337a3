import type { Bus, Consumption } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { SignalsTables } from './db/schema.ts';
import { storeSignals } from './signals/store-signals.ts';

// At 100 kB each a batch is 20 MB in memory; more than 200 rows in one statement gain little.
const maxBatch = 200;

/** Every stream that signals reads. Replicas share the durable, so each message is stored by one of them. */
export function consumeSignals(bus: Bus, db: Database<SignalsTables>, log: Logger): Promise<Consumption> {
  return bus.consumeBatches({ stream: 'SIGNALS', durable: 'signals-store', maxBatch }, (messages) =>
    storeSignals(db, log, messages),
  );
}
