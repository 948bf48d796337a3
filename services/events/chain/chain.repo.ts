import { type Database, type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { type Anchor, chainedColumns, type Link, type LinkedEvent } from './chain.ts';

type Rows = Kysely<EventsTables>;

/** The newest chained event by the recorder's position, which is stored apart from the log. */
export async function findHead(db: Rows): Promise<Link> {
  const row = await db
    .selectFrom('recorder_position')
    .select(['last_id', 'chain_id', 'chain_hash'])
    .executeTakeFirstOrThrow();
  // A version without the chain may have recorded last: `chain_id` is then lower, and the next batch begins a chain.
  return { id: row.last_id, hash: row.chain_id === row.last_id ? row.chain_hash : '' };
}

export async function insertBeginning(trx: Transaction<EventsTables>, id: number): Promise<void> {
  await trx.insertInto('chain_anchors').values({ after_id: id, hash: '', reason: 'beginning' }).execute();
}

/** All anchors by id: one per beginning of the chain, and one per dropped partition. */
export async function findAnchors(db: Rows): Promise<Anchor[]> {
  const rows = await db.selectFrom('chain_anchors').selectAll().orderBy('after_id').execute();
  return rows.map(({ after_id, hash, reason }) => ({ id: after_id, hash, reason }));
}

/** Null for an event without a hash, undefined when there is no such event. */
export async function findHash(db: Rows, id: number): Promise<string | null | undefined> {
  const row = await db.selectFrom('events').select('hash').where('id', '=', id).executeTakeFirst();
  return row?.hash;
}

/** The hashes of the events that exist among these, by id; null for an event without a hash. */
export async function findHashes(db: Rows, ids: readonly number[]): Promise<Map<number, string | null>> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'hash'])
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .execute();
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

export async function findFirstIdAfter(db: Rows, id: number): Promise<number | null> {
  const row = await db.selectFrom('events').select('id').where('id', '>', id).orderBy('id').limit(1).executeTakeFirst();
  return row?.id ?? null;
}

/** The events after `afterId` up to `upTo`, by id, with their hashes and search texts. */
export async function findLinks(db: Rows, afterId: number, upTo: number, limit: number): Promise<LinkedEvent[]> {
  return db
    .selectFrom('events')
    .select([...chainedColumns, 'hash', 'search_text'])
    .where('id', '>', afterId)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Prevents the drop of partitions until the transaction ends. It must precede the transaction's snapshot: a later drop
 * would remove a partition whose anchor the snapshot does not show.
 */
export const lockPartitions = sql`lock table events in access share mode`;

/** Runs `read` on one snapshot of the log: the recorder and retention change nothing in between. */
export function inReadTransaction<R>(db: Database<EventsTables>, read: (trx: Rows) => Promise<R>): Promise<R> {
  return db.transaction(
    async (trx) => {
      await lockPartitions.execute(trx);
      return read(trx);
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}
