import { type Database, sql } from '@yardarm/shared/db';
import type { Link } from '../chain/chain.ts';
import type { EventsTables } from '../db/schema.ts';

/**
 * Drops the oldest partition when all of it may go; returns the last event dropped, null when it has to stay. `tell` is told of it before
 * it is final: a drop that fails then, or is tried again, was told in vain, which harms nothing; one that nobody was told of looks forged.
 */
export async function dropOldestPartition(
  db: Database<EventsTables>,
  keepDays: number,
  tell: (last: Link) => Promise<void>,
): Promise<Link | null> {
  return db.transaction(async (trx) => {
    const { rows } = await sql<{ dropped: number | null }>`
      select drop_oldest_partition(${keepDays}) as dropped`.execute(trx);
    const id = rows[0]!.dropped;
    if (id === null) return null;
    const anchors = trx.selectFrom('chain_anchors').select('hash').where('after_id', '=', id);
    const last = { id, hash: (await anchors.executeTakeFirstOrThrow()).hash };
    await tell(last);
    return last;
  });
}
