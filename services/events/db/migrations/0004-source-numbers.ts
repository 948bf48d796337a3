import { type Migration, sql } from '@yardarm/shared/db';

/** See recording/gap.ts. */
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
