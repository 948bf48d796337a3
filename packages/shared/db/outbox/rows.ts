import { type Kysely, type RawBuilder, sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { SharedTables } from '../tables.ts';

export interface OutboxRow {
  id: number;
  event_id: string;
  type: string;
  ordering_key: string;
  payload: string;
  traceparent: string | null;
  created_at: Date;
  source_sequence: number | null;
}

type Rows = Kysely<SharedTables>;

/**
 * Returns unpublished rows in the order of their ids, except the ids and keys of `without`. Rows without a source
 * sequence get the next ones, without gaps and in the order of their ids, if the fence (see Lease.fence) returns a row.
 * A returned row without a source sequence means that the lease is lost.
 */
export async function findUnpublished(
  db: Rows,
  fence: RawBuilder<unknown>,
  without: { ids: readonly number[]; keys: readonly string[] },
  limit: number,
): Promise<OutboxRow[]> {
  // One statement, because a single event would wait for each of several. The statement locks the lease's row only when
  // it numbers rows: a read without new rows writes nothing.
  const { rows } = await prepared('find-unpublished')<OutboxRow>`
    with unpublished as (
      select id, event_id, type, ordering_key, payload, traceparent, created_at, source_sequence
      from outbox
      where published_at is null
        and id <> all (${without.ids}::bigint[]) and ordering_key <> all (${without.keys}::text[])
      order by id
      limit ${limit}
    ), unnumbered as (
      select id, row_number() over (order by id) as place, count(*) over () as total
      from unpublished where source_sequence is null
    ), fence as (${fence}
    ), counter as (
      update outbox_stream set last_source_sequence = last_source_sequence + (select count(*) from unnumbered)
      where exists (select from unnumbered) and exists (select from fence)
      returning last_source_sequence as last
    ), numbered as (
      update outbox set source_sequence = counter.last - unnumbered.total + unnumbered.place
      from unnumbered, counter
      where outbox.id = unnumbered.id
      returning outbox.id, outbox.source_sequence
    )
    select id, event_id, type, ordering_key, payload, traceparent, created_at,
      coalesce(unpublished.source_sequence, numbered.source_sequence) as source_sequence
    from unpublished left join numbered using (id)
    order by id`.execute(db);
  return rows;
}

/** Marks rows as published if the fence returns a row. Returns whether it did. */
export async function markPublished(db: Rows, fence: RawBuilder<unknown>, ids: readonly number[]): Promise<boolean> {
  const { rows } = await prepared('mark-published')<{ is_current: boolean }>`
    with fence as (${fence}
    ), marked as (
      update outbox set published_at = clock_timestamp()
      where id = any (${ids}::bigint[]) and published_at is null and exists (select from fence)
    )
    select exists (select from fence) as is_current`.execute(db);
  return rows[0]!.is_current;
}

/**
 * Of the next rows after an id, at most `limit`, marks those as unpublished that were created since then. `last` is the
 * id to continue after, null at the end. So no statement passes the rows of earlier ones again.
 */
export async function markUnpublished(
  trx: Rows,
  { since, after, limit }: { since: Date; after: number; limit: number },
): Promise<{ marked: number; last: number | null }> {
  const { rows } = await sql<{ read: number; last: number | null }>`
    select count(*) as read, max(id) as last
    from (select id from outbox where id > ${after} order by id limit ${limit}) as batch`.execute(trx);
  const { read, last } = rows[0]!;
  // With both ends of the range known, Postgres reads it by the key and not the whole table.
  const { numAffectedRows = 0n } = await sql`
    update outbox set published_at = null
    where id > ${after} and id <= ${last} and published_at is not null and created_at >= ${since}`.execute(trx);
  return { marked: Number(numAffectedRows), last: read < limit ? null : last };
}

/** Deletes rows that were published more than `keptDays` ago, among the oldest `limit` rows. Returns how many. */
export async function deleteOld(db: Rows, keptDays: number, limit: number): Promise<number> {
  // Reads the lowest ids only, so that published_at needs no index.
  const { numAffectedRows = 0n } = await sql`
    delete from outbox
    where id in (select id from outbox order by id limit ${limit})
      and published_at < clock_timestamp() - ${keptDays} * interval '1 day'`.execute(db);
  return Number(numAffectedRows);
}

/** The incarnation of the stream that has the rows marked as published. */
export async function findIncarnation(db: Rows): Promise<string | null> {
  const row = await db.selectFrom('outbox_stream').select('incarnation').executeTakeFirstOrThrow();
  return row.incarnation;
}

export async function updateIncarnation(trx: Rows, incarnation: string): Promise<void> {
  await trx.updateTable('outbox_stream').set({ incarnation }).execute();
}

export async function findNewestId(db: Rows): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select coalesce(max(id), 0) as newest from outbox`.execute(db);
  return rows[0]!.newest;
}

/** Whether every row up to this id is published, and in which incarnation of the stream, both at the same moment. */
export async function findPublishedUpTo(
  db: Rows,
  id: number,
): Promise<{ isPublished: boolean; incarnation: string | null }> {
  const { rows } = await sql<{ is_published: boolean; incarnation: string | null }>`
    select incarnation, not exists (select from outbox where published_at is null and id <= ${id}) as is_published
    from outbox_stream`.execute(db);
  const { is_published: isPublished, incarnation } = rows[0]!;
  return { isPublished, incarnation };
}

/** Limits the cost of a scrape: counting 100,000 rows takes a tenth of a second, a million a second. */
const maxCounted = 100_000;

/** How many committed rows are not marked as published, up to `maxCounted`, and the age of the oldest. */
export async function findLag(db: Rows): Promise<{ rows: number; oldestSeconds: number }> {
  const { rows } = await sql<{ rows: number; oldest: number }>`
    select count(*) as rows, coalesce(extract(epoch from clock_timestamp() - (
      select created_at from outbox where published_at is null order by id limit 1)), 0)::float8 as oldest
    from (select from outbox where published_at is null order by id limit ${maxCounted}) as unpublished`.execute(db);
  return { rows: rows[0]!.rows, oldestSeconds: Math.max(0, rows[0]!.oldest) };
}
