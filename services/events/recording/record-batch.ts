import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { type Database, type Leadership, LeaseLostError, type Transaction } from '@yardarm/shared/db';
import { insertBeginning } from '../chain/chain.repo.ts';
import { hashesOf } from '../chain/chain.ts';
import type { EventsTables } from '../db/schema.ts';
import { advance, numbersOf, type SourceNumbers } from './gap.ts';
import {
  countsOf,
  type DeadLetter,
  type Entry,
  loggedEvent,
  type Message,
  numberEvents,
  readMessages,
} from './recording.ts';
import {
  beginBatch,
  enterAhead,
  insertDeadLetters,
  type Portion,
  type RecorderPosition,
  writeBatch,
} from './recordings.repo.ts';

/** Messages of EVENTS in stream order, the first of them the one after the position that the recorder believes in. */
export interface Batch {
  incarnation: string;
  messages: readonly Message[];
}

/** In whose name a batch is recorded. */
export interface Recorder extends Pick<Leadership, 'epoch' | 'fence'> {
  db: Database<EventsTables>;
}

/** A fourth of the largest batch: smaller ones cost a statement more than they gain. */
const portionSize = 125;

/** What recording did, and where it stands now. */
export interface Recorded {
  position: RecorderPosition;
  /** What is new in the log. */
  events: RecordedEvent[];
  deadLetters: DeadLetter[];
}

/**
 * Records a batch in one transaction, or, when Postgres cannot store one of its messages, in as many as it takes to find that one
 * and set it aside. Throws LeaseLostError when another replica records now; nothing is written then.
 */
export async function recordBatch(recorder: Recorder, expected: RecorderPosition, batch: Batch): Promise<Recorded> {
  const { events, deadLetters } = readMessages(batch.messages);
  try {
    return await write(recorder, expected, batch, events, deadLetters);
  } catch (error) {
    if (!isFaultOfTheData(error)) throw error;
    const [only, another] = batch.messages;
    if (only !== undefined && another === undefined) {
      const deadLetter = { message: only, reason: `The log cannot store it: ${(error as Error).message}.` };
      return write(recorder, expected, batch, [], [deadLetter]);
    }
    const half = batch.messages.length >> 1;
    const first = await recordBatch(recorder, expected, { ...batch, messages: batch.messages.slice(0, half) });
    const second = await recordBatch(recorder, first.position, { ...batch, messages: batch.messages.slice(half) });
    return {
      position: second.position,
      events: [...first.events, ...second.events],
      deadLetters: [...first.deadLetters, ...second.deadLetters],
    };
  }
}

async function write(
  { db, epoch, fence }: Recorder,
  expected: RecorderPosition,
  batch: Batch,
  events: ReturnType<typeof readMessages>['events'],
  deadLetters: DeadLetter[],
): Promise<Recorded> {
  return db.transaction(async (trx) => {
    const eventIds = events.map(({ eventId }) => eventId);
    const begun = await beginBatch(trx, fence, eventIds);
    const { position: stored, unseen } = begun;
    if (!begun.isHeld) throw new LeaseLostError(`the lease of epoch ${epoch} has been lost`);
    // The lease alone keeps others away; this also catches a batch that does not follow on what was recorded last.
    if (stored.incarnation !== expected.incarnation || stored.lastSequence !== expected.lastSequence) {
      throw new LeaseLostError(`recorded up to ${stored.lastSequence}, not up to ${expected.lastSequence} as expected`);
    }
    const entries = numberEvents(events, unseen, stored.lastId);
    const previousHash = await hashBefore(trx, stored);
    await insertDeadLetters(trx, batch.incarnation, deadLetters);
    const last = await enterAllButLast(trx, entries, previousHash);
    const lastId = stored.lastId + entries.length;
    const position = {
      incarnation: batch.incarnation,
      lastSequence: batch.messages.at(-1)!.sequence,
      lastId,
      chain: { id: lastId, hash: last.hashes.at(-1) ?? stored.chain.hash },
    };
    const numbers = numbersAfter(begun.numbers, batch.messages);
    writeBatch(trx, { ...last, counts: countsOf(entries), numbers, position });
    return { position, events: entries.map(({ id, event }) => ({ id, ...event })), deadLetters };
  });
}

/**
 * Chains the entries portion by portion, so that Postgres enters one while the next is hashed: in a large batch both take about as long.
 * Returns the last portion, which is still to be entered.
 */
async function enterAllButLast(
  trx: Transaction<EventsTables>,
  entries: readonly Entry[],
  previousHash: string,
): Promise<Portion> {
  let hash = previousHash;
  for (let from = 0; ; from += portionSize) {
    const own = entries.slice(from, from + portionSize);
    const portion = { entries: own, hashes: hashesOf(hash, own.map(loggedEvent)) };
    if (from + portionSize >= entries.length) return portion;
    hash = portion.hashes.at(-1)!;
    enterAhead(trx, portion);
    // What is sent leaves with the end of the turn.
    await nextTurn();
  }
}

/** What is known of the sources' numbers with these messages, rejected ones included: they arrived. */
function numbersAfter(
  known: ReadonlyMap<string, SourceNumbers>,
  messages: readonly Message[],
): Map<string, SourceNumbers> {
  const now = new Date();
  return new Map(
    [...numbersOf(messages)].map(([source, numbers]) => [source, advance(known.get(source), numbers, now)]),
  );
}

/** What the next event is chained on. Nothing, when a version that knows no chain has recorded since: the chain begins anew. */
async function hashBefore(trx: Transaction<EventsTables>, { lastId, chain }: RecorderPosition): Promise<string> {
  if (chain.id === lastId) return chain.hash;
  await insertBeginning(trx, lastId);
  return '';
}

/**
 * Whether a message itself is at fault and will be whenever it is tried: SQLSTATE 22 (a value that the type does not take, such as
 * NUL in a text or the year 0) and 54 (a limit of Postgres, such as a name too long for an index); RangeError is nesting
 * deeper than the stack.
 */
function isFaultOfTheData(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof RangeError || (typeof code === 'string' && /^(22|54)/.test(code) && code.length === 5);
}
