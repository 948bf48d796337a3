import type { Bus, Consumption } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { FlagsTables } from './db/schema.ts';
import { handleAccountEvent, usersConsumer } from './users/keep-names.ts';

/** Every stream that flags reads: what accounts tells of people's names. Begins once JetStream is there; requests need the database alone. */
export function consumeAccounts(bus: Bus, db: Database<FlagsTables>): Promise<Consumption> {
  return bus.consume({ stream: 'EVENTS', durable: usersConsumer, filter: 'evt.accounts.>' }, (message) =>
    handleAccountEvent(db, message),
  );
}
