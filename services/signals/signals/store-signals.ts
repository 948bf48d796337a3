import { splitIntoPieces } from '@yardarm/shared/bus';
import type { Kysely } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StoredSignal } from './signal.ts';
import { insertSignals } from './signals.repo.ts';

/**
 * The limits of one statement. The index of payloads takes up to 40 ms for 100 kB that are nothing but numbers, so a
 * statement takes less than a second. It ends after ten, and its batch would be delivered again and again.
 */
const portion = { bytes: 2_000_000, items: 1_000 };

/**
 * Stores signals and returns how many of them are new. A message may be delivered again at any time, and several
 * processes may store the same signals: the id is the key, and all insert in the order of the ids, so that none waits
 * for another that waits for it.
 */
export async function storeSignals(db: Kysely<SignalsTables>, signals: readonly StoredSignal[]): Promise<number> {
  const inOrder = signals.toSorted((a, b) => a.id - b.id);
  let stored = 0;
  for (const piece of splitIntoPieces(inOrder, portion, ({ payload }) => Buffer.byteLength(payload))) {
    stored += await insertSignals(db, piece);
  }
  return stored;
}
