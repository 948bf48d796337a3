import type { Bus, Consumption } from '@yardarm/shared/bus';
import { type Database, inOwnEpoch } from '@yardarm/shared/db';
import type { FlagsTables } from './db/schema.ts';
import { handleAccountEvent, usersConsumer } from './places/users/follow-accounts.ts';

/** Consumption begins when JetStream answers. Requests do not need it. */
export function consumeAccounts(bus: Bus, db: Database<FlagsTables>): Promise<Consumption> {
  return bus.consume(
    { stream: 'EVENTS', durable: usersConsumer, filter: 'evt.accounts.>' },
    inOwnEpoch(db, (message) => handleAccountEvent(db, message)),
  );
}
