import { type Database, sql } from '@yardarm/shared/db';
import type { Link } from '../chain/chain.ts';
import type { EventsTables } from '../db/schema.ts';

/**
 * Drops the oldest partition if retention allows it. Returns the last dropped event, else null. `recordDrop` runs
 * before the commit. A drop without a record would look forged. A record of a drop that then fails is harmless.
 */
export async function dropOldestPartition(
  db: Database<EventsTables>,
  keepDays: number,
  recordDrop: (last: Link) => Promise<void>,
): Promise<Link | null> {
  return db.transaction(async (trx) => {
    const { rows } = await sql<{ dropped: number | null }>`
      select drop_oldest_partition(${keepDays}) as dropped`.execute(trx);
    const id = rows[0]!.dropped;
    if (id === null) return null;
    const anchors = trx.selectFrom('chain_anchors').select('hash').where('after_id', '=', id);
    const last = { id, hash: (await anchors.executeTakeFirstOrThrow()).hash };
    await recordDrop(last);
    return last;
  });
}
