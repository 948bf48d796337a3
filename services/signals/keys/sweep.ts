import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { type Sweep, startSweep } from '@yardarm/shared/waiting';
import type { SignalsTables } from '../db/schema.ts';
import { deleteFreeKeys } from './keys.repo.ts';

/** Free keys are never read: the sweep only keeps the table small. */
const intervalMs = 600_000;
/** A batch of this size takes milliseconds. */
const maxBatch = 1_000;

/** Deletes free keys at an interval, in every replica. */
export function startKeySweep(db: Database<SignalsTables>, log: Logger): Sweep {
  const onFailure = (error: unknown) =>
    log.warn({ err: coerceError(error) }, 'free idempotency keys stay until the next sweep');
  return startSweep({ intervalMs, onFailure }, async (signal) => {
    while ((await deleteFreeKeys(db.kysely, maxBatch)) === maxBatch && !signal.aborted);
  });
}
