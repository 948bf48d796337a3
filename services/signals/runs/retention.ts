import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { SignalsTables } from '../db/schema.ts';
import { deleteOldRuns } from './runs.repo.ts';

/** The oldest runs are days old, so an hour more or less does not matter. */
const everyMs = 60 * 60_000;

/** The runs with some steps each take tens of milliseconds. */
const maxBatch = 500;

/**
 * Deletes finished runs after the days for which signals are kept. An unfinished run stays until it is finished.
 */
export function startRunRetention({
  db,
  days,
  log,
}: {
  db: Database<SignalsTables>;
  days: number;
  log: Logger;
}): Leader {
  return startPeriodicJob({ db, log, name: 'runs-retention', everyMs }, async ({ signal, fence }) => {
    while ((await deleteOldRuns(db.kysely, fence, { days, limit: maxBatch })) === maxBatch && !signal.aborted);
  });
}
