import { type Kysely, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';

/**
 * Adds one admission of the endpoint and returns a new signal id. Returns null when the last second is full.
 *
 * `recent` has the times of the last `limit` admissions by the database's clock. An admission is allowed when there
 * are fewer, or when the first of them is at least a second old. No sliding second then has more than `limit`. A time
 * more than a second ahead was written before the clock was set back. It counts as old, because the endpoint would
 * otherwise refuse signals until the clock has caught up.
 *
 * It is one statement. Concurrent calls for an endpoint wait for its row. Postgres then evaluates the condition again
 * on the new row, with the current time (clock_timestamp, not now). A refusal writes nothing. The commit is
 * synchronous, because after a crash Postgres could otherwise draw the same ids again.
 */
export async function updateAdmissions(
  db: Kysely<SignalsTables>,
  endpointId: number,
  limit: number,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    with admitted as (
      update admissions
      set recent = (recent || clock_timestamp())[greatest(1, cardinality(recent) + 2 - ${limit}::integer):]
      where endpoint_id = ${endpointId}::bigint and (
        cardinality(recent) < ${limit}::integer
        or ${nthLast(limit)} <= clock_timestamp() - interval '1 second'
        or ${nthLast(limit)} > clock_timestamp() + interval '1 second'
      )
      returning endpoint_id
    )
    select nextval('signal_ids') as id from admitted`.execute(db);
  return rows[0]?.id ?? null;
}

/** Milliseconds until the next possible admission, at least 1. Null when there is no such endpoint. */
export async function findRetryAfterMs(
  db: Kysely<SignalsTables>,
  endpointId: number,
  limit: number,
): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(1, ceil(extract(epoch from ${nthLast(limit)} + interval '1 second' - clock_timestamp()) * 1000))::integer as ms
    from admissions where endpoint_id = ${endpointId}::bigint`.execute(db);
  return rows[0]?.ms ?? null;
}

/** The time that must be a second old before the next admission. */
function nthLast(limit: number) {
  return sql`recent[cardinality(recent) - ${limit}::integer + 1]`;
}
