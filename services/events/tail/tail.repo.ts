import { type Database, prepared, type RawBuilder, sql } from '@yardarm/shared/db';
import { lockPartitions } from '../chain/chain.repo.ts';
import type { EventsTables } from '../db/schema.ts';
import { eventColumns, type LoggedEvent } from '../events/event.ts';
import { type LogEnds, rangeToRead, type TailQuery } from './tail.ts';

/** An event of the log with what only services read of it. */
export interface TailRow extends LoggedEvent {
  traceparent: string | null;
  /** The length of its data, nearly the bytes of the event. */
  size: number;
}

export interface Tail {
  rows: TailRow[];
  after: number;
  through: number;
  head: number;
  epoch: string | null;
}

/** Reads the log after an id, by id, in one snapshot and two round trips. */
export async function findTail(db: Database<EventsTables>, query: TailQuery): Promise<Tail> {
  let rows: TailRow[] = [];
  const range = await db.transaction(
    async (trx) => {
      const [, [ends]] = await trx.batch(lockPartitions, selectEnds(query.epoch ?? null));
      const { head, epoch } = ends!;
      const { after, upTo } = rangeToRead(query, ends!);
      if (upTo > after) {
        trx.defer(selectEvents(query, after, upTo), (read) => {
          rows = read;
        });
      }
      return { after, upTo, head, epoch };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  const { upTo, ...found } = range;
  const taken = rows.slice(0, countWithin(maxBytes, rows));
  const isCut = taken.length < rows.length || rows.length === query.limit;
  return { rows: taken, ...found, through: isCut ? taken.at(-1)!.id : upTo };
}

/** The bytes of one answer. A page of 200 ordinary events has a quarter of it, and one event at most half. */
const maxBytes = 2_000_000;

/** How many of the first rows are within the limit, at least one. */
function countWithin(limit: number, rows: readonly TailRow[]): number {
  let bytes = 0;
  const beyond = rows.findIndex(({ size }) => {
    bytes += size;
    return bytes > limit;
  });
  return beyond === -1 ? rows.length : Math.max(1, beyond);
}

/** A restore from a backup of before the epoch has lost the epoch's row. All restores then count as later ones. */
function selectEnds(epoch: string | null): RawBuilder<LogEnds & { epoch: string | null }> {
  return prepared('find-log-ends')`
    select
      last_id as head,
      (select coalesce(max(after_id), 0) from chain_anchors where reason = 'retention') as dropped,
      (select min(last_id) from restores where number > coalesce((
        select number from restores where epoch = ${epoch}
      ), 0)) as "restoredSince",
      (select last_id from restores order by number desc limit 1) as restored,
      (select epoch from restores order by number desc limit 1) as epoch
    from recorder_position`;
}

/** Of the data of an event. */
const size = sql<number>`coalesce(octet_length(data::text), 0) + coalesce(octet_length(pre_data::text), 0)`;

/**
 * Reads one event after the other, until they have more than `maxBytes`: Postgres and this process never have the page
 * of 200 events of a megabyte each.
 */
function selectEvents(query: TailQuery, after: number, upTo: number): RawBuilder<TailRow> {
  const idFilters = [sql`id > ${after}`, sql`id <= ${upTo}`];
  const filters = [...idFilters];
  if (query.type !== undefined) filters.push(sql`type = ${query.type}`);
  if (query.project !== undefined) filters.push(sql`project = ${query.project}`);
  if (query.feature !== undefined) filters.push(sql`feature_name = ${query.feature}`);
  if (query.environment !== undefined) filters.push(sql`environment = ${query.environment}`);
  if (query.createdFrom !== undefined) filters.push(sql`created_at >= ${query.createdFrom}`);
  if (query.createdTo !== undefined) filters.push(sql`created_at <= ${query.createdTo}`);
  const where = sql.join(filters, sql` and `);
  const statement = sql<TailRow>`
    with recursive page as (
      (select id, ${size} as size, ${size} as bytes, 1 as number from events where ${where} order by id limit 1)
      union all
      select next.id, next.size, bytes + next.size, number + 1
      from page cross join lateral (
        select id, ${size} as size from events where ${where} and id > page.id order by id limit 1
      ) as next
      where bytes <= ${sql.lit(maxBytes)} and number < ${query.limit}
    )
    select ${sql.join(eventColumns.map((column) => sql.ref(column)))}, traceparent, size
    from page join events using (id)
    order by id`;
  // Event streams read each event without a filter. Other readers come seldom.
  return filters.length === idFilters.length ? prepared('read-log', statement) : statement;
}
