import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** What each user has answered to questions of the console, so that it does not ask again. */
export const feedback: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table feedback (
        user_id integer not null
          constraint feedback_user_id_fkey references users on delete cascade,
        feedback_id text not null,
        never_show boolean not null,
        given timestamptz,
        constraint feedback_pkey primary key (user_id, feedback_id)
      )`.execute(db);
  },
};
