import type { Bus, Consumption } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { FlagsTables } from './db/schema.ts';
import { handleAccountEvent, usersConsumer } from './users/keep-names.ts';

/** Everything the service listens to. */
export async function consume(bus: Bus, db: Database<FlagsTables>): Promise<Consumption[]> {
  return [
    await bus.consume({ stream: 'EVENTS', durable: usersConsumer, filter: 'evt.accounts.>' }, (message) =>
      handleAccountEvent(db, message),
    ),
  ];
}
