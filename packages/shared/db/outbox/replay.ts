import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';
import { markUnpublished } from './rows.ts';

/** Calls `mark`, which is as `markUnpublished`, until the end. Returns how many rows it has marked. */
export async function unpublishAll(mark: (after: number) => ReturnType<typeof markUnpublished>): Promise<number> {
  let total = 0;
  for (let after: number | null = 0; after !== null; ) {
    const { marked, last }: Awaited<ReturnType<typeof mark>> = await mark(after);
    total += marked;
    after = last;
  }
  return total;
}

/** Rows per statement: few enough for the statement timeout and for a relay that waits for the rows. */
export const replayBatch = 5_000;

/**
 * Marks every kept event since then as unpublished, so that the relay publishes it again, in order. Consumers drop the
 * events that they have already handled, by event id. Returns how many. It may be interrupted and called again.
 */
export async function replay<T extends SharedTables>(db: Database<T>, { since }: { since: Date }): Promise<number> {
  // T includes SharedTables, but the compiler cannot infer that through Kysely.
  const rows = db.kysely as unknown as Kysely<SharedTables>;
  return await unpublishAll((after) => markUnpublished(rows, { since, after, limit: replayBatch }));
}
