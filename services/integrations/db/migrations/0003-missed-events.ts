import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** Events that RECORDED did not bring and that are fetched from the log. Code of the release before leaves it empty. */
export const missedEvents: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table missed_events (
        first_id bigint constraint missed_events_pkey primary key,
        last_id bigint not null,
        constraint missed_events_range_check check (first_id <= last_id)
      )`.execute(db);
  },
};
