import { type Kysely, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';

/** An index contains both columns. Events of people count too: a number shows nothing of them. */
export async function countEventsByDay(
  db: Kysely<EventsTables>,
  { project, days }: { project: string; days: number },
): Promise<{ date: string; count: number }[]> {
  const { rows } = await sql<{ date: string; count: number }>`
    select (created_at at time zone 'UTC')::date::text as date, count(*)::integer as count
    from events where project = ${project} and created_at > now() - make_interval(days => ${days}::integer)
    group by 1 order by 1`.execute(db);
  return rows;
}
