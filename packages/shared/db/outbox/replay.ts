import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';

/** Rows per statement: few enough for the statement timeout, and for a relay that waits beside it. */
const batchSize = 5_000;

/**
 * Marks every event since then as unpublished, so that the relay publishes it again, in order; consumers drop what they know
 * by its event id. Returns how many. May be cut off and called again.
 */
export async function replay<T extends SharedTables>(db: Database<T>, { since }: { since: Date }): Promise<number> {
  let marked = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      update outbox set published_at = null
      where id in (
        select id from outbox where published_at is not null and created_at >= ${since} order by id limit ${batchSize}
      )`.execute(db.kysely);
    if (numAffectedRows === 0n) return marked;
    marked += Number(numAffectedRows);
  }
}
