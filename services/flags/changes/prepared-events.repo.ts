// Thousands of events are encoded and inserted in portions, between which other requests run. An import does it before
// its transaction locks what others need, because these rows take seconds.
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
import type { TimeSlicer } from '@yardarm/shared/waiting';
import type { FlagsTables } from '../db/schema.ts';

type Trx = Transaction<FlagsTables>;

export interface PreparedEvents {
  readonly rows: readonly Pick<EventRow, 'eventId' | 'orderingKey'>[];
  /** The statements that insert the rows. */
  readonly inserts: readonly RawBuilder<unknown>[];
}

/** As many characters take some two milliseconds to encode, and as long to send. */
const maxStatementLength = 256_000;

/**
 * Of so many statements the last one is waited for. The driver gives up 13 s after it has sent a statement, whatever
 * Postgres has to do before it (`answerTimeoutMs` in packages/shared/db/pool.ts).
 */
const maxSent = 10;

/** Throws as `appendEvent` does, and `timeout` after the deadline. Other work of the process continues meanwhile. */
export async function prepareEvents(events: Iterable<NewEvent>, slicer: TimeSlicer): Promise<PreparedEvents> {
  const rows: Pick<EventRow, 'eventId' | 'orderingKey'>[] = [];
  const inserts: RawBuilder<unknown>[] = [];
  let [own, length]: [EventRow[], number] = [[], 0];
  for (const event of events) {
    const row = toEventRow('flags', event);
    own.push(row);
    rows.push({ eventId: row.eventId, orderingKey: row.orderingKey });
    length += row.payload.length;
    if (length >= maxStatementLength || own.length >= maxRowsPerStatement) {
      inserts.push(insertEventRows(own));
      [own, length] = [[], 0];
    }
    await slicer.next();
  }
  if (own.length > 0) inserts.push(insertEventRows(own));
  return { rows, inserts };
}

/**
 * Inserts prepared events at once and not with the commit, so that a transaction can do it before its locks. A row
 * whose key the transaction has not locked yet may come before an event that another transaction commits meanwhile.
 * Under its locks the caller has to find these keys with `findKeysOfOthers`, delete the rows of these keys with
 * `deletePrepared`, and append their events again.
 */
export async function insertPrepared(trx: Trx, { inserts }: PreparedEvents, slicer: TimeSlicer): Promise<void> {
  for (const [index, insert] of inserts.entries()) {
    if ((index + 1) % maxSent === 0) await insert.execute(trx);
    else trx.pipeline(insert);
    await slicer.next();
  }
  if (inserts.length > 0) trx.onCommit(() => trx.context.appended.emit('committed'));
}

/** Appends many events of a change. The caller holds the locks of their keys. Nothing was changed when it throws. */
export async function appendInPortions(trx: Trx, events: Iterable<NewEvent>, slicer: TimeSlicer): Promise<void> {
  await insertPrepared(trx, await prepareEvents(events, slicer), slicer);
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
