import type { StreamPosition } from '@yardarm/shared/bus';
import {
  assignPosition,
  type Database,
  type Kysely,
  prepared,
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

/** The position up to which EVENTS is recorded, and the highest public id. */
export interface RecorderPosition extends StreamPosition {
  lastId: number;
  /** The newest event with a hash. Its id is lower than `lastId` after a version without the chain recorded last. */
  chain: Link;
}

export async function findPosition(db: Pick<Database<EventsTables>, 'kysely'>): Promise<RecorderPosition> {
  return toPosition(await db.kysely.selectFrom('recorder_position').selectAll().executeTakeFirstOrThrow());
}

export interface BatchStart {
  /** Whether this process still holds the lease. */
  isLeader: boolean;
  position: RecorderPosition;
  /** The event ids of the batch that were not in the inbox, in Postgres' lower-case form. */
  unseen: Set<string>;
  numbers: Map<string, SourceNumbers>;
}

/**
 * Locks the lease (`fence`) and the position until the transaction ends, inserts the event ids into the inbox, and
 * reads the sources' numbers, in one round trip. The caller must roll back unless `isLeader` is true.
 */
export async function beginBatch(
  trx: Transaction<EventsTables>,
  fence: RawBuilder<unknown>,
  eventIds: readonly string[],
): Promise<BatchStart> {
  const [lease, positions, inserted, numbers] = await trx.batch(
    prepared('lock-recorder-lease', fence),
    prepared('lock-recorder-position')<Selectable<RecorderPositionTable>>`select * from recorder_position for update`,
    prepared('insert-recorded-ids')<{ event_id: string }>`
      insert into recorded_ids (event_id) select unnest(${[...eventIds]}::uuid[])
      on conflict on constraint recorded_ids_pkey do nothing
      returning event_id`,
    selectNumbers,
  );
  return {
    isLeader: lease.length > 0,
    position: toPosition(positions[0]!),
    unseen: new Set(inserted.map(({ event_id }) => event_id)),
    numbers: numbersIn(numbers),
  };
}

function toPosition(row: Selectable<RecorderPositionTable>): RecorderPosition {
  return {
    incarnation: row.incarnation,
    lastSequence: row.last_sequence,
    lastId: row.last_id,
    chain: { id: row.chain_id, hash: row.chain_hash },
  };
}

export interface Portion {
  entries: readonly Entry[];
  /** In the order of the entries. */
  hashes: readonly string[];
}

/** The writes of a batch, without the portions that are already pipelined. */
export interface BatchWrites extends Portion {
  /** The increments of the counters. Totals of searches with one filter come from these. */
  counts: ReturnType<typeof countsOf>;
  numbers: ReadonlyMap<string, SourceNumbers>;
  position: RecorderPosition;
}

/** Pipelines the insert of a portion, so that the caller does not wait. Requires the lock on the position. */
export function pipelineInsert(trx: Transaction<EventsTables>, portion: Portion): void {
  trx.pipeline(prepared('insert-events', insertEntries(portion)));
}

/**
 * Inserts the entries, raises the counters, stores the sources' numbers and moves the position, together with the
 * commit. It is one statement, because each statement costs as much as some events. Requires the lock on the position.
 */
export function writeBatch(
  trx: Transaction<EventsTables>,
  { entries, hashes, counts, numbers, position }: BatchWrites,
): void {
  trx.defer(
    prepared('write-batch')`
    with inserted as (${insertEntries({ entries, hashes })}), counted as (${upsertCounters(counts)}), numbered as (${upsertNumbers(numbers)})
    update recorder_position set
       ${assignPosition(position)}, last_id = ${position.lastId},
       chain_id = ${position.chain.id}, chain_hash = ${position.chain.hash}, moved_at = now()`,
  );
}

function insertEntries({ entries, hashes }: Portion): RawBuilder<unknown> {
  // One array per column: thousands of parameters would cost both sides more than the insert.
  const list = <T>(of: (event: Entry['event']) => T) => entries.map(({ event }) => of(event));
  const columns =
    sql.raw(`id, recorded_at, event_id, version, source, type, created_at, created_by, created_by_user_id, created_by_username,
    environment, project, feature_name, data, pre_data, tags, request_id, traceparent, search_text, hash`);
  return sql`
    insert into events (${columns})
    select ${columns}
    from unnest(
      ${entries.map(({ id }) => id)}::bigint[],
      ${entries.map(({ recordedAt }) => recordedAt.toISOString())}::timestamptz[], ${list(({ eventId }) => eventId)}::uuid[],
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

function upsertCounters(counts: BatchWrites['counts']): RawBuilder<unknown> {
  return sql`
    insert into event_counters (kind, name, total)
    select * from unnest(
      ${counts.map(({ kind }) => kind)}::text[], ${counts.map(({ name }) => name)}::text[],
      ${counts.map(({ count }) => count)}::bigint[])
    on conflict on constraint event_counters_pkey do update set total = event_counters.total + excluded.total`;
}

function upsertNumbers(numbers: BatchWrites['numbers']): RawBuilder<unknown> {
  const known = [...numbers.values()];
  return sql`
    insert into source_numbers (source, highest, gaps)
    select * from unnest(
      ${[...numbers.keys()]}::text[], ${known.map(({ highest }) => highest)}::bigint[],
      ${known.map(({ gaps }) => JSON.stringify(gaps))}::json[])
    on conflict on constraint source_numbers_pkey do update set highest = excluded.highest, gaps = excluded.gaps`;
}

const selectNumbers = prepared('find-source-numbers')<NumbersRow>`select source, highest, gaps from source_numbers`;

type NumbersRow = SourceNumbers & { source: string };

const numbersIn = (rows: readonly NumbersRow[]) => new Map(rows.map(({ source, ...numbers }) => [source, numbers]));

export async function findAllNumbers(db: Kysely<EventsTables>): Promise<Map<string, SourceNumbers>> {
  return numbersIn((await selectNumbers.execute(db)).rows);
}

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
        // A reason quotes the message, which may contain NUL. Postgres stores no NUL in a text.
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
    // JSON.parse accepts deeper nesting than JSON.stringify. The stream still holds the message.
    if (error instanceof RangeError) return 'nested too deeply to be kept';
    throw error;
  }
}

/** Creates partitions in advance. Returns the first id without a partition. */
export async function makePartitionsAhead(db: Pick<Database<EventsTables>, 'kysely'>): Promise<number> {
  const { rows } = await sql<{ first_without: number }>`select make_partitions_ahead() as first_without`.execute(
    db.kysely,
  );
  return Number(rows[0]!.first_without);
}
