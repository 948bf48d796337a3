import { type Database, type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { eventColumns } from '../events/event.ts';
import type { Anchor, Link, LinkedEvent } from './chain.ts';

type Rows = Kysely<EventsTables>;

/** The newest event that is chained, as the recorder remembers it apart from the log. */
export async function findHead(db: Rows): Promise<Link> {
  const row = await db
    .selectFrom('recorder_position')
    .select(['last_id', 'chain_id', 'chain_hash'])
    .executeTakeFirstOrThrow();
  // Behind the log when a version that knows no chain has recorded last; the next batch begins the chain anew.
  return { id: row.last_id, hash: row.chain_id === row.last_id ? row.chain_hash : '' };
}

/** Begins the chain anew behind this id. */
export async function insertBeginning(trx: Transaction<EventsTables>, id: number): Promise<void> {
  await trx.insertInto('chain_anchors').values({ after_id: id, hash: '', reason: 'beginning' }).execute();
}

/** Every anchor, by id: one for a version that knew no chain, and one for each partition that was dropped. */
export async function findAnchors(db: Rows): Promise<Anchor[]> {
  const rows = await db.selectFrom('chain_anchors').selectAll().orderBy('after_id').execute();
  return rows.map(({ after_id, hash, reason }) => ({ id: after_id, hash, reason }));
}

/** The hash that an event of the log carries; undefined when there is no such event. */
export async function findHash(db: Rows, id: number): Promise<string | null | undefined> {
  const row = await db.selectFrom('events').select('hash').where('id', '=', id).executeTakeFirst();
  return row?.hash;
}

/** The first event behind this id, if there is one. */
export async function findFirstIdAfter(db: Rows, id: number): Promise<number | null> {
  const row = await db.selectFrom('events').select('id').where('id', '>', id).orderBy('id').limit(1).executeTakeFirst();
  return row?.id ?? null;
}

/** The events behind one id up to another, in order, with their hashes and the texts that searches find them by. */
export async function findLinks(db: Rows, afterId: number, upTo: number, limit: number): Promise<LinkedEvent[]> {
  return db
    .selectFrom('events')
    .select([...eventColumns, 'hash', 'created_by_username', 'search_text'])
    .where('id', '>', afterId)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Keeps the log's partitions until the transaction ends. Before the first look: a partition that is dropped after it would be missing, and
 * the anchor in its place not there yet.
 */
export const keepingPartitions = sql`lock table events in access share mode`;

/** Runs `read` on one moment of the log, so that neither the recorder nor retention shows in the middle of it. */
export function atOneMoment<R>(db: Database<EventsTables>, read: (trx: Rows) => Promise<R>): Promise<R> {
  return db.transaction(
    async (trx) => {
      await keepingPartitions.execute(trx);
      return read(trx);
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}
