import {
  type Database,
  type Kysely,
  type RawBuilder,
  type Selectable,
  sql,
  type Transaction,
} from '@yardarm/shared/db';
import type { Link } from '../chain/chain.ts';
import type { EventsTables, RecorderPositionTable } from '../db/schema.ts';
import { searchTextOf } from '../events/event.ts';
import type { SourceNumbers } from './gap.ts';
import type { countsOf, DeadLetter, Entry } from './recording.ts';

/** Up to where EVENTS is recorded: a sequence of one incarnation of the stream, and the highest public id given. */
export interface RecorderPosition {
  incarnation: string | null;
  lastSequence: number;
  lastId: number;
  /** The newest event that carries a hash; behind `lastId` when a version that knows no chain has recorded last. */
  chain: Link;
}

/** The position as last committed. */
export async function findPosition(db: Pick<Database<EventsTables>, 'kysely'>): Promise<RecorderPosition> {
  return position(await db.kysely.selectFrom('recorder_position').selectAll().executeTakeFirstOrThrow());
}

/** Where a batch begins, as `beginBatch` finds it. */
export interface Beginning {
  /** Whether the lease is still ours. */
  isHeld: boolean;
  position: RecorderPosition;
  /** Those of the batch's event ids that the inbox did not hold, in Postgres' lower-case form. */
  unseen: Set<string>;
  /** What is known of every source's numbers. */
  numbers: Map<string, SourceNumbers>;
}

/**
 * Locks the lease (`fence`) and the position against every other recorder until the transaction ends, puts the event ids into the inbox, and
 * reads what a batch needs to know; one trip to Postgres for all of it. Nothing of it may stay unless the lease is held.
 */
export async function beginBatch(
  trx: Transaction<EventsTables>,
  fence: RawBuilder<unknown>,
  eventIds: readonly string[],
): Promise<Beginning> {
  const [held, positions, taken, numbers] = await trx.batch(
    fence,
    sql<Selectable<RecorderPositionTable>>`select * from recorder_position for update`,
    sql<{ event_id: string }>`
      insert into recorded_ids (event_id) select unnest(${[...eventIds]}::uuid[])
      on conflict on constraint recorded_ids_pkey do nothing
      returning event_id`,
    readingNumbers,
  );
  return {
    isHeld: held.length > 0,
    position: position(positions[0]!),
    unseen: new Set(taken.map(({ event_id }) => event_id)),
    numbers: numbersIn(numbers),
  };
}

function position(row: Selectable<RecorderPositionTable>): RecorderPosition {
  return {
    incarnation: row.incarnation,
    lastSequence: row.last_sequence,
    lastId: row.last_id,
    chain: { id: row.chain_id, hash: row.chain_hash },
  };
}

/** Entries of the log, each with its hash. */
export interface Portion {
  entries: readonly Entry[];
  /** Of the entries, in their order. */
  hashes: readonly string[];
}

/** What a batch changes, but for the portions that were sent ahead. */
export interface BatchWrites extends Portion {
  /** Raises the counters from which single-filter totals are answered. */
  counts: ReturnType<typeof countsOf>;
  /** What is known now of the numbers of those sources that the batch held something of. */
  numbers: ReadonlyMap<string, SourceNumbers>;
  position: RecorderPosition;
}

/** Has Postgres enter these into the log while the caller goes on with the rest of the batch. Only under the lock of the position. */
export function enterAhead(trx: Transaction<EventsTables>, portion: Portion): void {
  trx.pipeline(entering(portion));
}

/**
 * Writes the entries into the log, raises the counters, keeps the sources' numbers and moves the position, with the commit; one statement,
 * since each costs the recorder as much as some events do. Only under the lock of the position.
 */
export function writeBatch(
  trx: Transaction<EventsTables>,
  { entries, hashes, counts, numbers, position }: BatchWrites,
): void {
  trx.defer(sql`
    with entered as (${entering({ entries, hashes })}), counted as (${counting(counts)}), numbered as (${numbering(numbers)})
    update recorder_position set
      incarnation = ${position.incarnation}, last_sequence = ${position.lastSequence}, last_id = ${position.lastId},
      chain_id = ${position.chain.id}, chain_hash = ${position.chain.hash}, moved_at = now()`);
}

function entering({ entries, hashes }: Portion): RawBuilder<unknown> {
  // A list for each column: thousands of single parameters would take both sides longer than the insert.
  const list = <T>(of: (event: Entry['event']) => T) => entries.map(({ event }) => of(event));
  const columns =
    sql.raw(`id, event_id, version, source, type, created_at, created_by, created_by_user_id, created_by_username,
    environment, project, feature_name, data, pre_data, tags, request_id, traceparent, search_text, hash`);
  return sql`
    insert into events (${columns})
    select ${columns}
    from unnest(
      ${entries.map(({ id }) => id)}::bigint[], ${list(({ eventId }) => eventId)}::uuid[],
      ${list(({ version }) => version)}::smallint[], ${list(({ source }) => source)}::text[],
      ${list(({ type }) => type)}::text[], ${list(({ createdAt }) => createdAt)}::timestamptz[],
      ${list(({ createdBy }) => createdBy)}::text[], ${list(({ createdByUserId }) => createdByUserId)}::bigint[],
      ${list(({ createdByUsername }) => createdByUsername)}::text[], ${list(({ environment }) => environment)}::text[],
      ${list(({ project }) => project)}::text[], ${list(({ featureName }) => featureName)}::text[],
      ${list(({ data }) => data && JSON.stringify(data))}::json[],
      ${list(({ preData }) => preData && JSON.stringify(preData))}::json[],
      ${list(({ tags }) => JSON.stringify(tags))}::json[], ${list(({ requestId }) => requestId)}::text[],
      ${list(({ traceparent }) => traceparent)}::text[], ${list(searchTextOf)}::text[], ${[...hashes]}::text[]
    ) as entry (${columns})`;
}

function counting(counts: BatchWrites['counts']): RawBuilder<unknown> {
  return sql`
    insert into event_counters (kind, name, total)
    select * from unnest(
      ${counts.map(({ kind }) => kind)}::text[], ${counts.map(({ name }) => name)}::text[],
      ${counts.map(({ count }) => count)}::bigint[])
    on conflict on constraint event_counters_pkey do update set total = event_counters.total + excluded.total`;
}

function numbering(numbers: BatchWrites['numbers']): RawBuilder<unknown> {
  const known = [...numbers.values()];
  return sql`
    insert into source_numbers (source, highest, gaps)
    select * from unnest(
      ${[...numbers.keys()]}::text[], ${known.map(({ highest }) => highest)}::bigint[],
      ${known.map(({ gaps }) => JSON.stringify(gaps))}::json[])
    on conflict on constraint source_numbers_pkey do update set highest = excluded.highest, gaps = excluded.gaps`;
}

const readingNumbers = sql<NumbersRow>`select source, highest, gaps from source_numbers`;

type NumbersRow = SourceNumbers & { source: string };

const numbersIn = (rows: readonly NumbersRow[]) => new Map(rows.map(({ source, ...numbers }) => [source, numbers]));

/** What is known of every source's numbers. */
export async function findAllNumbers(db: Kysely<EventsTables>): Promise<Map<string, SourceNumbers>> {
  return numbersIn((await readingNumbers.execute(db)).rows);
}

/** Sets messages aside. */
export async function insertDeadLetters(
  trx: Transaction<EventsTables>,
  incarnation: string,
  deadLetters: readonly DeadLetter[],
): Promise<void> {
  if (deadLetters.length === 0) return;
  await trx
    .insertInto('rejected_messages')
    .values(
      deadLetters.map(({ message, reason }) => ({
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
