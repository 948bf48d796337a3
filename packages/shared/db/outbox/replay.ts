import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';
import { markUnpublished } from './rows.ts';

/** Rows per statement: few enough for the statement timeout, and for a relay that waits beside it. */
export const replayBatch = 5_000;

/**
 * Marks every kept event since then as unpublished, so that the relay publishes it again, in order; consumers drop what they
 * know by its event id. Returns how many. May be cut off and called again.
 */
export async function replay<T extends SharedTables>(db: Database<T>, { since }: { since: Date }): Promise<number> {
  // The tables that this reads are among T's, which the compiler does not follow through Kysely.
  const rows = db.kysely as unknown as Kysely<SharedTables>;
  let total = 0;
  for (;;) {
    const marked = await markUnpublished(rows, since, replayBatch);
    total += marked;
    if (marked < replayBatch) return total;
  }
}
