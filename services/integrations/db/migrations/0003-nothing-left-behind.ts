import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * Events that RECORDED did not bring and that are fetched from the log; and what is untried found in the order of the events, what is to be
 * tried again by its time, each by an index of its own. Code of the release before leaves the table empty and finds both by the new indexes.
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
