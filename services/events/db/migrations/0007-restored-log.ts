import { type Migration, sql } from '@yardarm/shared/db';

/** The last event of the restored log. It is null for restores by versions without this column. */
export const restoredLog: Migration = {
  async up(db) {
    await sql`alter table restores add column last_id bigint`.execute(db);
  },
};
