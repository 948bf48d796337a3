import { type Database, type Leader, runAsLeader } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { SignalsTables } from '../db/schema.ts';
import { deleteOldRuns } from './runs.repo.ts';

/** The oldest runs are days old, so an hour more or less does not matter. */
const intervalMs = 60 * 60_000;

/** The runs with some steps each take tens of milliseconds. */
const maxBatch = 500;

/**
 * Deletes finished runs after the days for which signals are kept. An unfinished run stays until it is finished.
 *
 *   deleting   Deletes one batch after another, while each is full.
 *   waiting    No finished run is too old.
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
  return runAsLeader({ db, name: 'runs-retention', log }, async ({ signal, fence }) => {
    while (!signal.aborted) {
      const count = await deleteOldRuns(db.kysely, fence, { days, limit: maxBatch });
      if (count < maxBatch) await pause(intervalMs, signal);
    }
  });
}
