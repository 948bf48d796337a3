import { type Kysely, sql } from 'kysely';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

/**
 * Makes the inbox: which consumer has seen which event. It is kept longer than any outbox row and any stream, so that a
 * replay finds what was done. From a service's migration.
 */
export async function createInboxTables<T>(db: Kysely<T>): Promise<void> {
  await sql`
    create table inbox (
      consumer text not null,
      event_id uuid not null,
      received_at timestamptz not null default clock_timestamp(),
      constraint inbox_pkey primary key (consumer, event_id)
    )`.execute(db);
}

/**
 * Whether this consumer sees this event for the first time, remembered in the caller's transaction together with what it
 * does about it. Waits for another transaction that asks the same at this moment.
 */
export async function firstTime<T extends SharedTables>(
  trx: Transaction<T>,
  consumer: string,
  eventId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into inbox (consumer, event_id) values (${consumer}, ${eventId})
    on conflict on constraint inbox_pkey do nothing`.execute(trx);
  return numAffectedRows === 1n;
}
