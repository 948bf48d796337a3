import { type Database, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';

/** Drops the oldest partition when all of it may go; returns the last id dropped, null when it has to stay. */
export async function dropOldestPartition(db: Database<EventsTables>, keepDays: number): Promise<number | null> {
  const { rows } = await sql<{ dropped: number | null }>`
    select drop_oldest_partition(${keepDays}) as dropped`.execute(db.kysely);
  return rows[0]!.dropped;
}
