import { type Kysely, sql } from 'kysely';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

/**
 * Creates the inbox table, in a migration of a service. The inbox records which consumer has handled which event. Its
 * rows outlive all outbox rows and streams, so that a replay changes nothing.
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
 * Whether this consumer handles this event for the first time. Inserts the inbox row in the caller's transaction,
 * together with the effects of the event. Waits for a concurrent transaction that inserts the same row.
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
