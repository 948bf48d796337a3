import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';
import { markUnpublished } from './rows.ts';

/** Rows per statement: few enough for the statement timeout and for a relay that waits for the rows. */
export const replayBatch = 5_000;

/**
 * Marks every kept event since then as unpublished, so that the relay publishes it again, in order. Consumers drop the
 * events that they have already handled, by event id. Returns how many. It may be interrupted and called again.
 */
export async function replay<T extends SharedTables>(db: Database<T>, { since }: { since: Date }): Promise<number> {
  // T includes SharedTables, but the compiler cannot infer that through Kysely.
  const rows = db.kysely as unknown as Kysely<SharedTables>;
  let total = 0;
  for (;;) {
    const marked = await markUnpublished(rows, since, replayBatch);
    total += marked;
    if (marked < replayBatch) return total;
  }
}
