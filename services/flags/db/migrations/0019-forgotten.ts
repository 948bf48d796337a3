import { type Kysely, sql } from '@yardarm/shared/db';

/** The revision of a place when the present epoch began. Readers of this epoch need no removals up to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table revisions add column forgotten bigint not null default 0`.execute(db);
}
