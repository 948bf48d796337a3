import { type Migration, sql } from '@yardarm/shared/db';

/** What the recorder knows of each source's dense numbers; see recording/gap.ts. */
export const sourceNumbers: Migration = {
  async up(db) {
    await sql`
      create table source_numbers (
        source text not null,
        highest bigint not null,
        gaps json not null,
        constraint source_numbers_pkey primary key (source)
      )`.execute(db);
  },
};
