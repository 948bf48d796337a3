// The events of an import are inserted before its transaction locks what others need, because the rows of thousands of
// events take seconds.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type EventRow,
  insertEventRows,
  maxRowsPerStatement,
  type NewEvent,
  type RawBuilder,
  sql,
  type Transaction,
  toEventRow,
} from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

type Trx = Transaction<FlagsTables>;

export interface PreparedEvents {
  readonly rows: readonly Pick<EventRow, 'eventId' | 'orderingKey'>[];
  /** The statements that insert the rows. */
  readonly inserts: readonly RawBuilder<unknown>[];
}

/** Throws as `appendEvent` does. Other work of the process continues between the statements. */
export async function prepareEvents(events: readonly NewEvent[]): Promise<PreparedEvents> {
  const rows: Pick<EventRow, 'eventId' | 'orderingKey'>[] = [];
  const inserts: RawBuilder<unknown>[] = [];
  for (let at = 0; at < events.length; at += maxRowsPerStatement) {
    await yieldToEventLoop();
    const own = events.slice(at, at + maxRowsPerStatement).map((event) => toEventRow('flags', event));
    rows.push(...own.map(({ eventId, orderingKey }) => ({ eventId, orderingKey })));
    inserts.push(insertEventRows(own));
  }
  return { rows, inserts };
}

/**
 * Inserts prepared events at once and not with the commit, so that a transaction can do it before its locks. A row
 * whose key the transaction has not locked yet may come before an event that another transaction commits meanwhile.
 * Under its locks the caller has to find these keys with `findKeysOfOthers`, delete the rows of these keys with
 * `deletePrepared`, and append their events again.
 */
export function insertPrepared(trx: Trx, { inserts }: PreparedEvents): void {
  for (const insert of inserts) trx.pipeline(insert);
  if (inserts.length > 0) trx.onCommit(() => trx.context.appended.emit('committed'));
}

/** The keys of the events that other transactions have committed after the first prepared row was inserted. */
export async function findKeysOfOthers(trx: Trx, { rows: [first] }: PreparedEvents): Promise<Set<string>> {
  if (!first) return new Set();
  const { rows } = await sql<{ key: string }>`
    select distinct ordering_key as key from outbox
    where id > (select id from outbox where event_id = ${first.eventId}) and xmin <> pg_current_xact_id()::xid`.execute(
    trx,
  );
  return new Set(rows.map(({ key }) => key));
}

/** Deletes the prepared rows of some keys, which this transaction has inserted. */
export async function deletePrepared(
  trx: Trx,
  { rows }: PreparedEvents,
  isDeleted: (orderingKey: string) => boolean,
): Promise<void> {
  const ids = rows.filter(({ orderingKey }) => isDeleted(orderingKey)).map(({ eventId }) => eventId);
  if (ids.length > 0) await sql`delete from outbox where event_id = any(${ids}::uuid[])`.execute(trx);
}
