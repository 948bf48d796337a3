import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * Counts the rows of usage, with the names of variants in them, that the reports of a token have made in a day, in UTC.
 * 0 is no token, and the negative numbers are all tokens of a kind.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_entries (
      token_id integer not null,
      day date not null,
      entries integer not null,
      constraint usage_entries_pkey primary key (token_id, day)
    )`.execute(db);
}
