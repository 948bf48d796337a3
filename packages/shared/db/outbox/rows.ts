import { type Kysely, sql } from 'kysely';
import type { SharedTables } from '../tables.ts';

/** A row on its way to the stream. */
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

/** Unpublished rows in the order of their ids, but for the ids and the keys named. */
export async function readUnpublished(
  db: Rows,
  without: { ids: readonly number[]; keys: readonly string[] },
  limit: number,
): Promise<OutboxRow[]> {
  const { rows } = await sql<OutboxRow>`
    select id, event_id, type, ordering_key, payload, traceparent, created_at, source_sequence
    from outbox
    where published_at is null
      and id <> all (${without.ids}::bigint[]) and ordering_key <> all (${without.keys}::text[])
    order by id
    limit ${limit}`.execute(db);
  return rows;
}

/** Gives the rows that have none the next numbers of the source, without a gap, in the order of their ids; returns all numbers. */
export async function numberRows(trx: Rows, ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; source_sequence: number }>`
    with numbered as (
      select id, row_number() over (order by id) as place, count(*) over () as total
      from outbox where id = any (${ids}::bigint[]) and source_sequence is null
    ), counter as (
      update outbox_stream set last_source_sequence = last_source_sequence + (select count(*) from numbered)
      returning last_source_sequence as last
    )
    update outbox set source_sequence = counter.last - numbered.total + numbered.place
    from numbered, counter
    where outbox.id = numbered.id
    returning outbox.id, outbox.source_sequence`.execute(trx);
  return new Map(rows.map((row) => [row.id, row.source_sequence]));
}

export async function markPublished(trx: Rows, ids: readonly number[]): Promise<void> {
  await sql`
    update outbox set published_at = clock_timestamp()
    where id = any (${ids}::bigint[]) and published_at is null`.execute(trx);
}

/** Marks at most `limit` published rows, the oldest, as unpublished; returns how many. */
export async function markUnpublished(trx: Rows, since: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update outbox set published_at = null
    where id in (
      select id from outbox where published_at is not null and created_at >= ${since} order by id limit ${limit}
    )`.execute(trx);
  return Number(numAffectedRows);
}

/** Deletes rows published longer ago than that, among the oldest `limit`; returns how many. */
export async function deleteOld(db: Rows, keptDays: number, limit: number): Promise<number> {
  // Looks at the lowest ids alone, so that no index on published_at has to be kept for every row.
  const { numAffectedRows = 0n } = await sql`
    delete from outbox
    where id in (select id from outbox order by id limit ${limit})
      and published_at < clock_timestamp() - ${keptDays} * interval '1 day'`.execute(db);
  return Number(numAffectedRows);
}

/** The incarnation of the stream in which the rows marked as published are. */
export async function readIncarnation(db: Rows): Promise<string | null> {
  const row = await db.selectFrom('outbox_stream').select('incarnation').executeTakeFirstOrThrow();
  return row.incarnation;
}

export async function writeIncarnation(trx: Rows, incarnation: string): Promise<void> {
  await trx.updateTable('outbox_stream').set({ incarnation }).execute();
}

/** The highest id of all rows; 0 when there are none. */
export async function readNewest(db: Rows): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select coalesce(max(id), 0) as newest from outbox`.execute(db);
  return rows[0]!.newest;
}

/** Whether every row up to this id is published, and in which incarnation of the stream; both of one moment. */
export async function readPublishedUpTo(
  db: Rows,
  id: number,
): Promise<{ isPublished: boolean; incarnation: string | null }> {
  const { rows } = await sql<{ is_published: boolean; incarnation: string | null }>`
    select incarnation, not exists (select from outbox where published_at is null and id <= ${id}) as is_published
    from outbox_stream`.execute(db);
  const { is_published: isPublished, incarnation } = rows[0]!;
  return { isPublished, incarnation };
}

export async function readLag(db: Rows): Promise<{ rows: number; oldestSeconds: number }> {
  const { rows } = await sql<{ rows: number; oldest: number }>`
    select count(*) as rows,
      coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest
    from outbox where published_at is null`.execute(db);
  return { rows: rows[0]!.rows, oldestSeconds: Math.max(0, rows[0]!.oldest) };
}
