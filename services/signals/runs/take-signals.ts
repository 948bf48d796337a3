import { isSamePosition, type StreamPosition } from '@yardarm/shared/bus';
import type { Database, Leadership } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { SignalsTables } from '../db/schema.ts';
import { deferPosition, lockPosition } from './positions.repo.ts';
import { runsOf, type TakenSignal } from './run.ts';
import { findEnabledSets, insertRuns, updateLastMatched } from './runs.repo.ts';

/** Stored signals that follow a position of the stream, in its order, and the position after them. */
export interface SignalBatch {
  signals: readonly TakenSignal[];
  position: StreamPosition;
}

export interface Taken {
  /** How many new runs there are. */
  runs: number;
  /** The signals that were not taken, because those before them took long. */
  rest: readonly TakenSignal[];
  /** The position after those that were. */
  position: StreamPosition;
}

/**
 * Takes signals in one fenced transaction: inserts one run for each enabled set that a signal matches, and moves the
 * position. Throws if the position is not the expected one, because another replica took signals or the first set of
 * the endpoint was enabled.
 */
export async function takeSignals(
  { db, endpointId }: { db: Database<SignalsTables>; endpointId: number },
  leadership: Pick<Leadership, 'requireCurrent'>,
  expected: StreamPosition,
  { signals, position }: SignalBatch,
): Promise<Taken> {
  return db.transaction(async (trx) => {
    await leadership.requireCurrent(trx);
    const stored = await lockPosition(trx, endpointId);
    if (stored === undefined || !isSamePosition(stored, expected)) {
      // Expected, and nothing was done: the reader continues from the new position.
      const message = `The position of endpoint ${endpointId} was moved from ${expected.lastSequence}.`;
      throw new AppError('unavailable', message, { retryAfterSeconds: 1 });
    }
    const sets = await findEnabledSets(trx, endpointId);
    const { runs, lastMatched, count } = await runsOf(sets, signals);
    await updateLastMatched(trx, lastMatched);
    const inserted = await insertRuns(trx, endpointId, runs);
    const rest = signals.slice(count);
    const reached = rest.length === 0 ? position : { ...position, lastSequence: signals[count - 1]!.sequence };
    deferPosition(trx, endpointId, reached);
    return { runs: inserted, rest, position: reached };
  });
}
