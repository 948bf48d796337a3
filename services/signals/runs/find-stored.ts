import type { Bus, BusMessage } from '@yardarm/shared/bus';
import { signalIdIn } from '@yardarm/shared/contracts/signals';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause } from '@yardarm/shared/waiting';
import type { SignalsTables } from '../db/schema.ts';
import { readSignal, type StoredSignal } from '../signals/signal.ts';
import { storeMessages } from '../signals/store-messages.ts';
import type { TakenSignal } from './run.ts';
import { findSignals } from './stored-signals.repo.ts';

/** Half of the second in which a signal switches a flag. A consumer stores a batch in one or a few statements. */
const storedWithinMs = 500;

/** A consumer gets a message when the reader does. A run begins at most 50 ms after the commit. */
const pollMs = { firstMs: 5, maxMs: 50 };

export interface FinderOptions {
  db: Database<SignalsTables>;
  bus: Bus;
  log: Logger;
}

/** Messages of one incarnation of SIGNALS, in its order and without payloads. */
export interface SignalHeaders {
  incarnation: string;
  messages: readonly BusMessage[];
}

/**
 * Finds the signals of messages that a reader got without payloads. The consumers store every signal (consumers.ts).
 * The states of a message:
 *
 *   awaited   No consumer has stored its signal yet. The finder looks again, for `storedWithinMs`.
 *   stored    The row of its signal exists, mostly at the first or second look.
 *   missing   No consumer stored it in time: they are behind, one died with it, they had acknowledged it before the
 *             database was restored, or it is no signal. The finder fetches the message and stores it as they do.
 *
 * Invariant: when the finder returns, each message is stored, as a signal or as a dead letter. It returns no signal of
 * a dead letter, nor of a message that was published again, because its sender repeated an idempotency key: the sets
 * may have changed since the first message, and a signal runs the sets that it matched then.
 *
 * After a batch with a missing message, the finder does not wait for the next one: then consumers are behind by more
 * than a moment, or will never store it.
 */
export function createFinder({ db, bus, log }: FinderOptions) {
  let waits = true;

  async function findInTime(ids: readonly number[], signal: AbortSignal): Promise<Map<number, StoredSignal>> {
    const until = performance.now() + (waits ? storedWithinMs : 0);
    for (let look = 1; ; look += 1) {
      const found = await findSignals(db.kysely, ids);
      if (found.size === ids.length || performance.now() >= until) return found;
      await pause(backoff(look, pollMs), signal);
      signal.throwIfAborted();
    }
  }

  async function fetchMessage({ sequence, msgId }: BusMessage): Promise<BusMessage> {
    const message = await bus.getMessage('SIGNALS', sequence);
    // The stream was created again or has dropped it meanwhile. The reader opens again and finds that.
    if (message?.msgId !== msgId) throw new AppError('unavailable', `SIGNALS no longer has message ${sequence}.`);
    return message;
  }

  return async ({ incarnation, messages }: SignalHeaders, signal: AbortSignal): Promise<TakenSignal[]> => {
    const idOf = new Map(messages.map(({ sequence, msgId }) => [sequence, signalIdIn(msgId)]));
    let found = await findInTime(idsIn(idOf), signal);
    const missing = messages.filter(({ sequence }) => !found.has(idOf.get(sequence) ?? 0));
    waits = missing.length === 0;
    if (missing.length > 0) {
      const fetched = await Promise.all(missing.map(fetchMessage));
      await storeMessages({ db, log, incarnations: { of: async () => incarnation } }, fetched);
      for (const message of fetched) {
        const read = readSignal(message, incarnation);
        idOf.set(message.sequence, 'signal' in read ? read.signal.id : null);
      }
      found = await findSignals(db.kysely, idsIn(idOf));
    }
    return messages.flatMap(({ sequence, traceparent }) => {
      const row = found.get(idOf.get(sequence) ?? 0);
      if (row === undefined) return [];
      // Of two messages in one batch the second repeats the first, whichever was stored.
      found.delete(row.id);
      // After the loss of a stream this is not known: a row may have the incarnation before that of its message.
      if (row.streamIncarnation === incarnation && row.streamSequence < sequence) return [];
      return [{ ...row, sequence, traceparent: plausible(traceparent) }];
    });
  };
}

const idsIn = (idOf: ReadonlyMap<number, number | null>) => [...new Set(idOf.values())].filter((id) => id !== null);

/** A traceparent has only these characters, which Postgres can store. */
function plausible(traceparent: string | null): string | null {
  return traceparent !== null && /^[0-9a-f-]{1,100}$/.test(traceparent) ? traceparent : null;
}
