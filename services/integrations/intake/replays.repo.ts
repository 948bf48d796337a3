import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

/** Public ids, both ends included. */
export interface IdRange {
  first: number;
  last: number;
}

export async function insertMissed(db: Kysely<IntegrationsTables>, ranges: readonly IdRange[]): Promise<void> {
  if (ranges.length === 0) return;
  await sql`
    insert into missed_events (first_id, last_id)
    select * from unnest(${ranges.map(({ first }) => first)}::bigint[], ${ranges.map(({ last }) => last)}::bigint[])
    on conflict on constraint missed_events_pkey
      do update set last_id = greatest(missed_events.last_id, excluded.last_id)`.execute(db);
}

export async function findMissed(db: Kysely<IntegrationsTables>): Promise<IdRange | undefined> {
  const row = await db
    .selectFrom('missed_events')
    .select(['first_id', 'last_id'])
    .orderBy('first_id')
    .limit(1)
    .executeTakeFirst();
  return row && { first: row.first_id, last: row.last_id };
}

/** Removes the ids up to and including `through`. Returns false if another replica has shortened the range. */
export async function shortenMissed(
  trx: Transaction<IntegrationsTables>,
  { first }: IdRange,
  through: number,
): Promise<boolean> {
  const { rows } = await sql<{ last_id: number }>`
    delete from missed_events where first_id = ${first} returning last_id`.execute(trx);
  const [row] = rows;
  if (row === undefined) return false;
  if (through < row.last_id) await insertMissed(trx, [{ first: through + 1, last: row.last_id }]);
  return true;
}

export async function countMissed(db: Kysely<IntegrationsTables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(last_id - first_id + 1), 0)::bigint as count from missed_events`.execute(db);
  return rows[0]!.count;
}

/** Inserts the range from `first` to the newest handled event, if it is not empty. Returns the newest. */
export async function insertMissedSince(db: Kysely<IntegrationsTables>, first: number): Promise<number> {
  const { last_event_id: last } = await db.selectFrom('intake').select('last_event_id').executeTakeFirstOrThrow();
  if (first <= last) await insertMissed(db, [{ first, last }]);
  return last;
}
