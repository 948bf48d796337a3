import { type Database, type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import type { Link } from '../chain/chain.ts';
import type { EventsTables, RecorderPositionTable } from '../db/schema.ts';
import { searchTextOf } from '../events/event.ts';
import type { SourceNumbers } from './gap.ts';
import type { countsOf, Entry, Rejection } from './recording.ts';

/** Up to where EVENTS is recorded: a sequence of one incarnation of the stream, and the highest public id given. */
export interface RecorderPosition {
  incarnation: string | null;
  lastSequence: number;
  lastId: number;
  /** The newest event that carries a hash; behind `lastId` when a version that knows no chain has recorded last. */
  chain: Link;
}

/** The position as last committed. */
export async function readPosition(db: Pick<Database<EventsTables>, 'kysely'>): Promise<RecorderPosition> {
  return position(await db.kysely.selectFrom('recorder_position').selectAll().executeTakeFirstOrThrow());
}

/** The position, held against every other recorder until the transaction ends. */
export async function lockPosition(trx: Transaction<EventsTables>): Promise<RecorderPosition> {
  return position(await trx.selectFrom('recorder_position').selectAll().forUpdate().executeTakeFirstOrThrow());
}

function position(row: Selectable<RecorderPositionTable>): RecorderPosition {
  return {
    incarnation: row.incarnation,
    lastSequence: row.last_sequence,
    lastId: row.last_id,
    chain: { id: row.chain_id, hash: row.chain_hash },
  };
}

/** Moves the position. */
export async function movePosition(trx: Transaction<EventsTables>, to: RecorderPosition): Promise<void> {
  await trx
    .updateTable('recorder_position')
    .set({
      incarnation: to.incarnation,
      last_sequence: to.lastSequence,
      last_id: to.lastId,
      chain_id: to.chain.id,
      chain_hash: to.chain.hash,
      moved_at: sql<Date>`now()`,
    })
    .execute();
}

/** Puts the event ids into the inbox and returns those that it did not hold, in Postgres' lower-case form. */
export async function takeUnseen(trx: Transaction<EventsTables>, eventIds: readonly string[]): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const rows = await trx
    .insertInto('recorded_ids')
    .columns(['event_id'])
    .expression(sql<{ event_id: string }>`select unnest(${sql.val([...eventIds])}::uuid[])`)
    .onConflict((conflict) => conflict.constraint('recorded_ids_pkey').doNothing())
    .returning('event_id')
    .execute();
  return new Set(rows.map((row) => row.event_id));
}

/** Writes the entries into the log, each with its hash. */
export async function insertEntries(
  trx: Transaction<EventsTables>,
  entries: readonly Entry[],
  hashes: readonly string[],
): Promise<void> {
  if (entries.length === 0) return;
  // A list for each column: thousands of single parameters would take both sides longer than the insert.
  const list = <T>(of: (event: Entry['event']) => T) => entries.map(({ event }) => of(event));
  await sql`
    insert into events (
      id, event_id, version, source, type, created_at, created_by, created_by_user_id, created_by_username, environment,
      project, feature_name, data, pre_data, tags, request_id, traceparent, search_text, hash)
    select
      id, event_id, version, source, type, created_at, created_by, created_by_user_id, created_by_username, environment,
      project, feature_name, data::json, pre_data::json, tags::json, request_id, traceparent, search_text, hash
    from unnest(
      ${entries.map(({ id }) => id)}::bigint[], ${list(({ eventId }) => eventId)}::uuid[],
      ${list(({ version }) => version)}::smallint[], ${list(({ source }) => source)}::text[],
      ${list(({ type }) => type)}::text[], ${list(({ createdAt }) => createdAt)}::timestamptz[],
      ${list(({ createdBy }) => createdBy)}::text[], ${list(({ createdByUserId }) => createdByUserId)}::bigint[],
      ${list(({ createdByUsername }) => createdByUsername)}::text[], ${list(({ environment }) => environment)}::text[],
      ${list(({ project }) => project)}::text[], ${list(({ featureName }) => featureName)}::text[],
      ${list(({ data }) => data && JSON.stringify(data))}::text[],
      ${list(({ preData }) => preData && JSON.stringify(preData))}::text[],
      ${list(({ tags }) => JSON.stringify(tags))}::text[], ${list(({ requestId }) => requestId)}::text[],
      ${list(({ traceparent }) => traceparent)}::text[], ${list(searchTextOf)}::text[], ${[...hashes]}::text[]
    ) as entry (
      id, event_id, version, source, type, created_at, created_by, created_by_user_id, created_by_username, environment,
      project, feature_name, data, pre_data, tags, request_id, traceparent, search_text, hash)`.execute(trx);
}

/** Raises the counters from which single-filter totals are answered. */
export async function raiseCounters(
  trx: Transaction<EventsTables>,
  counts: ReturnType<typeof countsOf>,
): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    insert into event_counters (kind, name, total)
    select * from unnest(
      ${counts.map(({ kind }) => kind)}::text[], ${counts.map(({ name }) => name)}::text[],
      ${counts.map(({ count }) => count)}::bigint[])
    on conflict on constraint event_counters_pkey do update set total = event_counters.total + excluded.total`.execute(
    trx,
  );
}

/** What is known of every source's numbers. */
export async function readAllNumbers(db: Kysely<EventsTables>): Promise<Map<string, SourceNumbers>> {
  const rows = await db.selectFrom('source_numbers').selectAll().execute();
  return new Map(rows.map(({ source, highest, gaps }) => [source, { highest, gaps }]));
}

/** Keeps what is known of these sources' numbers; only under the lock of the position. */
export async function writeNumbers(
  trx: Transaction<EventsTables>,
  sources: ReadonlyMap<string, SourceNumbers>,
): Promise<void> {
  await trx
    .insertInto('source_numbers')
    .values([...sources].map(([source, { highest, gaps }]) => ({ source, highest, gaps: JSON.stringify(gaps) })))
    .onConflict((conflict) =>
      conflict
        .constraint('source_numbers_pkey')
        .doUpdateSet({ highest: sql<number>`excluded.highest`, gaps: sql<string>`excluded.gaps` }),
    )
    .execute();
}

/** Sets messages aside. */
export async function insertRejections(
  trx: Transaction<EventsTables>,
  incarnation: string,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length === 0) return;
  await trx
    .insertInto('rejected_messages')
    .values(
      rejections.map(({ message, reason }) => ({
        incarnation,
        sequence: message.sequence,
        subject: message.subject,
        msg_id: message.msgId,
        // A reason repeats what was sent, and what was sent may hold what Postgres stores in no text.
        reason: reason.replaceAll('\u0000', '\ufffd'),
        payload: payloadText(message.payload),
      })),
    )
    .onConflict((conflict) => conflict.constraint('rejected_messages_sequence_key').doNothing())
    .execute();
}

function payloadText(payload: unknown): string {
  try {
    return JSON.stringify(payload) ?? 'undefined';
  } catch (error) {
    // Nested deeper than the stack: JSON.parse reads what JSON.stringify cannot write. The stream still holds it.
    if (error instanceof RangeError) return 'nested too deeply to be kept';
    throw error;
  }
}

/** Makes the log's partitions ahead of need and returns the first id that has none. */
export async function makePartitionsAhead(db: Pick<Database<EventsTables>, 'kysely'>): Promise<number> {
  const { rows } = await sql<{ first_without: number }>`select make_partitions_ahead() as first_without`.execute(
    db.kysely,
  );
  return Number(rows[0]!.first_without);
}
