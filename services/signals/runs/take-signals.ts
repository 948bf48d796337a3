import { type BusMessage, isSamePosition, type StreamPosition } from '@yardarm/shared/bus';
import type { Database, Leadership, Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { SignalsTables } from '../db/schema.ts';
import { storedCount } from '../metrics.ts';
import type { StoredSignal } from '../signals/signal.ts';
import { findRepetitions } from '../signals/signals.repo.ts';
import { storeDeadLetter } from '../signals/store-messages.ts';
import { storeSignals } from '../signals/store-signals.ts';
import { deferPosition, lockPosition } from './positions.repo.ts';
import { runsOf } from './run.ts';
import { findEnabledSets, insertRuns, updateLastMatched } from './runs.repo.ts';

/** Signals that follow a position of the stream, in its order, and the position after them. */
export interface SignalBatch {
  signals: readonly (StoredSignal & { traceparent: string | null })[];
  /** Messages that are no signals. */
  faults: readonly { message: BusMessage; reason: string }[];
  position: StreamPosition;
}

/**
 * Takes signals in one fenced transaction: stores them, inserts one run for each enabled set that a signal matches, and
 * moves the position. No run precedes the storage of an earlier signal. Throws if the position is not the expected one,
 * because another replica took signals or the first set of the endpoint was enabled. Returns the number of new runs.
 */
export async function takeSignals(
  { db, endpointId }: { db: Database<SignalsTables>; endpointId: number },
  leadership: Pick<Leadership, 'requireCurrent'>,
  expected: StreamPosition,
  { signals, faults, position }: SignalBatch,
): Promise<number> {
  return db.transaction(async (trx) => {
    await leadership.requireCurrent(trx);
    const stored = await lockPosition(trx, endpointId);
    if (stored === undefined || !isSamePosition(stored, expected)) {
      // Expected, and nothing was done: the reader continues from the new position.
      const message = `The position of endpoint ${endpointId} was moved from ${expected.lastSequence}.`;
      throw new AppError('unavailable', message, { retryAfterSeconds: 1 });
    }
    const sets = await findEnabledSets(trx, endpointId);
    const storedNow = await storeSignals(trx, signals);
    trx.onCommit(() => storedCount.inc(storedNow));
    const { runs, lastMatched } = runsOf(sets, await withoutRepetitions(trx, signals, storedNow));
    await updateLastMatched(trx, lastMatched);
    for (const { message, reason } of faults) await storeDeadLetter(trx, message, reason);
    const count = await insertRuns(trx, endpointId, runs);
    deferPosition(trx, endpointId, position);
    return count;
  });
}

/**
 * The signals without those of messages that were published again, because their sender repeated an idempotency key.
 * The sets may have changed since the first message, and a signal runs the sets that it matched then.
 */
async function withoutRepetitions<Signal extends StoredSignal>(
  trx: Transaction<SignalsTables>,
  signals: readonly Signal[],
  storedNow: number,
): Promise<readonly Signal[]> {
  if (storedNow === signals.length) return signals;
  const repetitions = await findRepetitions(trx, signals);
  return signals.filter(({ streamSequence }) => !repetitions.has(streamSequence));
}
