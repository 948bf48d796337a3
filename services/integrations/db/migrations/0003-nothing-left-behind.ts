import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * Adds the ranges of events that RECORDED did not contain and that are fetched from the log. Gives untried deliveries
 * an index in the order of the events, and retries an index by time. Code of the release before leaves the table empty
 * and uses the new indexes.
 */
export const nothingLeftBehind: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table missed_events (
        first_id bigint constraint missed_events_pkey primary key,
        last_id bigint not null,
        constraint missed_events_range_check check (first_id <= last_id)
      )`.execute(db);
    await sql`
      create index deliveries_pending_idx on deliveries (integration_id, event_id) where state = 'pending'`.execute(db);
    await sql`
      create index deliveries_waiting_idx on deliveries (integration_id, next_attempt_at, event_id)
      where state = 'waiting'`.execute(db);
    await sql`drop index deliveries_due_idx`.execute(db);
  },
};
