import { type Database, sql } from '@yardarm/shared/db';
import { atOneMoment, readAnchors, readHead } from '../chain/chain.repo.ts';
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

/** Reads the log behind an id, in its order; all of one moment. */
export function readTail(db: Database<EventsTables>, query: TailQuery): Promise<Tail> {
  return atOneMoment(db, async (trx) => {
    const head = (await readHead(trx)).id;
    const dropped = (await readAnchors(trx)).findLast(({ reason }) => reason === 'retention');
    const { after, upTo } = lookOf(query, dropped?.id ?? 0, head);
    if (upTo === after) return { rows: [], after, through: after, head };
    let found = trx.selectFrom('events').select(eventColumns).where('id', '>', after).where('id', '<=', upTo);
    if (query.type !== undefined) found = found.where('type', '=', query.type);
    if (query.project !== undefined) found = found.where('project', '=', query.project);
    if (query.feature !== undefined) found = found.where('feature_name', '=', query.feature);
    if (query.environment !== undefined) found = found.where('environment', '=', query.environment);
    if (query.createdFrom !== undefined) found = found.where('created_at', '>=', sql<Date>`${query.createdFrom}`);
    if (query.createdTo !== undefined) found = found.where('created_at', '<=', sql<Date>`${query.createdTo}`);
    const rows = await found.orderBy('id').limit(query.limit).execute();
    return { rows, after, through: rows.length === query.limit ? rows.at(-1)!.id : upTo, head };
  });
}
