import { type Database, type RawBuilder, sql } from '@yardarm/shared/db';
import { keepingPartitions } from '../chain/chain.repo.ts';
import type { EventsTables } from '../db/schema.ts';
import { eventColumns, type LoggedEvent } from '../events/event.ts';
import { lookOf, type TailQuery } from './tail.ts';

/** The events of one look, which ids it went over, and where the log ends. */
export interface Tail {
  rows: LoggedEvent[];
  after: number;
  through: number;
  head: number;
}

/** Reads the log behind an id, in its order; all of one moment, in two trips to the database. */
export async function findTail(db: Database<EventsTables>, query: TailQuery): Promise<Tail> {
  let rows: LoggedEvent[] = [];
  const look = await db.transaction(
    async (trx) => {
      const [, [ends]] = await trx.batch(
        keepingPartitions,
        sql<{ head: number; dropped: number }>`
          select last_id as head, (
            select coalesce(max(after_id), 0) from chain_anchors where reason = 'retention'
          ) as dropped from recorder_position`,
      );
      const { head, dropped } = ends!;
      const { after, upTo } = lookOf(query, dropped, head);
      if (upTo > after) {
        trx.defer(reading(query, after, upTo), (read) => {
          rows = read;
        });
      }
      return { after, upTo, head };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  const { after, upTo, head } = look;
  return { rows, after, through: rows.length === query.limit ? rows.at(-1)!.id : upTo, head };
}

function reading(query: TailQuery, after: number, upTo: number): RawBuilder<LoggedEvent> {
  const filters = [sql`id > ${after}`, sql`id <= ${upTo}`];
  if (query.type !== undefined) filters.push(sql`type = ${query.type}`);
  if (query.project !== undefined) filters.push(sql`project = ${query.project}`);
  if (query.feature !== undefined) filters.push(sql`feature_name = ${query.feature}`);
  if (query.environment !== undefined) filters.push(sql`environment = ${query.environment}`);
  if (query.createdFrom !== undefined) filters.push(sql`created_at >= ${query.createdFrom}`);
  if (query.createdTo !== undefined) filters.push(sql`created_at <= ${query.createdTo}`);
  return sql<LoggedEvent>`
    select ${sql.join(eventColumns.map((column) => sql.ref(column)))} from events
    where ${sql.join(filters, sql` and `)}
    order by id limit ${query.limit}`;
}
