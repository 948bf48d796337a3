import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * Adds whether an integration may be sent events of people. Existing integrations may. The default is for code of the
 * release before, which refuses such events to actors who may not read them.
 */
export const eventsOfPeople: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      alter table integrations add column may_send_events_of_people boolean not null default true`.execute(db);
  },
};
