import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isSamePosition } from '@yardarm/shared/bus';
import { type Database, isOfEpoch, type Leadership, LeaseLostError, type Transaction } from '@yardarm/shared/db';
import { insertBeginning } from '../chain/chain.repo.ts';
import { hashesOf } from '../chain/chain.ts';
import type { EventsTables } from '../db/schema.ts';
import { advance, numbersOf, type SourceNumbers } from './gap.ts';
import {
  chainedEvent,
  countsOf,
  type DeadLetter,
  type Entry,
  type Message,
  numberEvents,
  readMessages,
} from './recording.ts';
import {
  beginBatch,
  insertDeadLetters,
  type Portion,
  pipelineInsert,
  type RecorderPosition,
  writeBatch,
} from './recordings.repo.ts';

/** Messages of EVENTS in stream order. The first one follows the expected position. */
export interface Batch {
  incarnation: string;
  messages: readonly Message[];
}

export interface Recorder extends Pick<Leadership, 'epoch' | 'fence'> {
  db: Database<EventsTables>;
  /** Of the database. Messages of another one describe changes that a restore has lost. */
  databaseEpoch?: string | null;
}

/** A quarter of the largest batch. Smaller portions cost more in statements than they gain. */
const portionSize = 125;

export interface Recorded {
  position: RecorderPosition;
  deadLetters: DeadLetter[];
}

/**
 * Records a batch in one transaction. When Postgres cannot store one of the messages, it halves the batch until that
 * message is alone and becomes a dead letter. Throws LeaseLostError, without a write, when another replica holds the
 * lease.
 */
export async function recordBatch(recorder: Recorder, expected: RecorderPosition, batch: Batch): Promise<Recorded> {
  const current = batch.messages.filter((message) => isOfEpoch(message, recorder.databaseEpoch ?? null));
  const { events, deadLetters } = readMessages(current);
  try {
    return await write(recorder, expected, batch, current, events, deadLetters);
  } catch (error) {
    if (!isDataError(error)) throw error;
    const [only, another] = batch.messages;
    if (only !== undefined && another === undefined) {
      const deadLetter = { message: only, reason: `The log cannot store it: ${(error as Error).message}.` };
      return write(recorder, expected, batch, current, [], [deadLetter]);
    }
    const half = batch.messages.length >> 1;
    const first = await recordBatch(recorder, expected, { ...batch, messages: batch.messages.slice(0, half) });
    const second = await recordBatch(recorder, first.position, { ...batch, messages: batch.messages.slice(half) });
    return { position: second.position, deadLetters: [...first.deadLetters, ...second.deadLetters] };
  }
}

async function write(
  { db, epoch, fence }: Recorder,
  expected: RecorderPosition,
  batch: Batch,
  current: readonly Message[],
  events: ReturnType<typeof readMessages>['events'],
  deadLetters: DeadLetter[],
): Promise<Recorded> {
  return db.transaction(async (trx) => {
    const eventIds = events.map(({ eventId }) => eventId);
    const start = await beginBatch(trx, fence, eventIds);
    const { position: stored, unseen } = start;
    if (!start.isLeader) throw new LeaseLostError(`the lease of epoch ${epoch} has been lost`);
    // The lease excludes other recorders. This check also refuses a batch that does not follow the stored position.
    if (!isSamePosition(stored, expected)) {
      throw new LeaseLostError(`recorded up to ${stored.lastSequence}, not up to ${expected.lastSequence} as expected`);
    }
    const entries = numberEvents(events, unseen, stored.lastId, new Date());
    const previousHash = await findPreviousHash(trx, stored);
    await insertDeadLetters(trx, batch.incarnation, deadLetters);
    const last = await insertAllButLast(trx, entries, previousHash);
    const lastId = stored.lastId + entries.length;
    const position = {
      incarnation: batch.incarnation,
      lastSequence: batch.messages.at(-1)!.sequence,
      lastId,
      chain: { id: lastId, hash: last.hashes.at(-1) ?? stored.chain.hash },
    };
    const numbers = advanceNumbers(start.numbers, current);
    writeBatch(trx, { ...last, counts: countsOf(entries), numbers, position });
    return { position, deadLetters };
  });
}

/**
 * Hashes the entries in portions, so that Postgres inserts one portion while the next is hashed. In a large batch both
 * take about equally long. Returns the last portion, which the caller inserts.
 */
async function insertAllButLast(
  trx: Transaction<EventsTables>,
  entries: readonly Entry[],
  previousHash: string,
): Promise<Portion> {
  let hash = previousHash;
  for (let from = 0; ; from += portionSize) {
    const own = entries.slice(from, from + portionSize);
    const portion = { entries: own, hashes: hashesOf(hash, own.map(chainedEvent)) };
    if (from + portionSize >= entries.length) return portion;
    hash = portion.hashes.at(-1)!;
    pipelineInsert(trx, portion);
    // Pipelined statements are written at the end of the current event loop iteration.
    await yieldToEventLoop();
  }
}

/** Dead letters count as well, because their numbers arrived. */
function advanceNumbers(
  known: ReadonlyMap<string, SourceNumbers>,
  messages: readonly Message[],
): Map<string, SourceNumbers> {
  const now = new Date();
  return new Map(
    [...numbersOf(messages)].map(([source, numbers]) => [source, advance(known.get(source), numbers, now)]),
  );
}

/** The hash before the next event. It is empty, for a new chain, after a version without the chain recorded last. */
async function findPreviousHash(trx: Transaction<EventsTables>, { lastId, chain }: RecorderPosition): Promise<string> {
  if (chain.id === lastId) return chain.hash;
  await insertBeginning(trx, lastId);
  return '';
}

/**
 * Whether the error is caused by a message and will occur at every attempt: SQLSTATE class 22 (a value that the type
 * does not accept, such as NUL in a text or the year 0) and class 54 (a limit of Postgres, such as a name too long for
 * an index), or a RangeError, which is nesting deeper than the stack.
 */
function isDataError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof RangeError || (typeof code === 'string' && /^(22|54)/.test(code) && code.length === 5);
}
