import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { FlagsTables } from '../../db/schema.ts';
import { deleteOldSteps } from './steps.repo.ts';

/** A step is sent again for an hour by default. A week outlasts every setting and an outage of days. */
const keptDays = 7;
/** Retention counts days. */
const everyMs = 3_600_000;

/**
 * The job that deletes the outcomes of old steps, in one replica at a time. The states of an outcome:
 *
 *   kept  The step ended at most `keptDays` ago. A repetition has this outcome.
 *   old   The step ended earlier, and is sent no more. The next round deletes it.
 */
export function startStepRetention({ db, log }: { db: Database<FlagsTables>; log: Logger }): Leader {
  return startPeriodicJob({ db, log, name: 'step-retention', everyMs }, (leadership) =>
    deleteOldSteps(db, leadership, keptDays),
  );
}
