import { type Kysely, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';

/**
 * Takes one admission of the endpoint and draws the signal's id, or null when the last second is full.
 *
 * `recent` holds the times of the last `limit` admissions by the database's clock. There is room when there are fewer, or when the
 * first of them is a second old: then no sliding second holds more than `limit`. A time more than a second ahead was written before
 * the clock was set back; it counts as old, or the endpoint would be shut until the clock has caught up.
 *
 * One statement: takers of one endpoint wait for each other on its row, and Postgres decides anew on the row that the one before
 * left behind, by a clock that moved on meanwhile (clock_timestamp, not now). A refusal writes nothing. The commit is a synchronous
 * one, or a crash of Postgres could hand out the same ids again.
 */
export async function takeAdmission(
  db: Kysely<SignalsTables>,
  endpointId: number,
  limit: number,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    with taken as (
      update admissions
      set recent = (recent || clock_timestamp())[greatest(1, cardinality(recent) + 2 - ${limit}::integer):]
      where endpoint_id = ${endpointId}::bigint and (
        cardinality(recent) < ${limit}::integer
        or ${nthLast(limit)} <= clock_timestamp() - interval '1 second'
        or ${nthLast(limit)} > clock_timestamp() + interval '1 second'
      )
      returning endpoint_id
    )
    select nextval('signal_ids') as id from taken`.execute(db);
  return rows[0]?.id ?? null;
}

/** Milliseconds until the endpoint has room again, at least 1; null when there is no such endpoint. */
export async function untilRoom(db: Kysely<SignalsTables>, endpointId: number, limit: number): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(1, ceil(extract(epoch from ${nthLast(limit)} + interval '1 second' - clock_timestamp()) * 1000))::integer as ms
    from admissions where endpoint_id = ${endpointId}::bigint`.execute(db);
  return rows[0]?.ms ?? null;
}

/** The admission that the next one must follow by a second. */
function nthLast(limit: number) {
  return sql`recent[cardinality(recent) - ${limit}::integer + 1]`;
}
