import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { SignalsTables } from '../db/schema.ts';
import { deleteFreeKeys } from './keys.repo.ts';

/** Free keys are never read: the sweep only keeps the table small. */
const everyMs = 600_000;
/** A batch of this size takes milliseconds. */
const maxBatch = 1_000;

/** Deletes free keys every ten minutes, in one replica at a time. */
export function startKeySweep(db: Database<SignalsTables>, log: Logger): Leader {
  return startPeriodicJob({ db, log, name: 'keys', everyMs }, ({ signal }) => deleteAllFreeKeys(db, signal));
}

/** Two replicas may call it at the same time: each deletes different keys. */
export async function deleteAllFreeKeys(db: Database<SignalsTables>, signal?: AbortSignal): Promise<void> {
  while ((await deleteFreeKeys(db.kysely, maxBatch)) === maxBatch && !signal?.aborted);
}
