import { type Database, prepared, type RawBuilder, sql } from '@yardarm/shared/db';
import { lockPartitions } from '../chain/chain.repo.ts';
import type { EventsTables } from '../db/schema.ts';
import { eventColumns, type LoggedEvent } from '../events/event.ts';
import { type LogEnds, rangeToRead, type TailQuery } from './tail.ts';

export interface Tail {
  rows: LoggedEvent[];
  after: number;
  through: number;
  head: number;
  epoch: string | null;
}

/** Reads the log after an id, by id, in one snapshot and two round trips. */
export async function findTail(db: Database<EventsTables>, query: TailQuery): Promise<Tail> {
  let rows: LoggedEvent[] = [];
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
  return { rows, ...found, through: rows.length === query.limit ? rows.at(-1)!.id : upTo };
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

function selectEvents(query: TailQuery, after: number, upTo: number): RawBuilder<LoggedEvent> {
  const idFilters = [sql`id > ${after}`, sql`id <= ${upTo}`];
  const filters = [...idFilters];
  if (query.type !== undefined) filters.push(sql`type = ${query.type}`);
  if (query.project !== undefined) filters.push(sql`project = ${query.project}`);
  if (query.feature !== undefined) filters.push(sql`feature_name = ${query.feature}`);
  if (query.environment !== undefined) filters.push(sql`environment = ${query.environment}`);
  if (query.createdFrom !== undefined) filters.push(sql`created_at >= ${query.createdFrom}`);
  if (query.createdTo !== undefined) filters.push(sql`created_at <= ${query.createdTo}`);
  const statement = sql<LoggedEvent>`
    select ${sql.join(eventColumns.map((column) => sql.ref(column)))} from events
    where ${sql.join(filters, sql` and `)}
    order by id limit ${query.limit}`;
  // Event streams read each event without a filter. Other readers come seldom.
  return filters.length === idFilters.length ? prepared('read-log', statement) : statement;
}
