import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import { sweep } from './sweep.ts';

/** A minute is precise enough for days of retention, and the rows of a deleted integration are deleted soon. */
const everyMs = 60_000;

/** The lease only saves work: two sweeps at once delete the same rows, once. */
export function startSweeper(options: { db: Database<IntegrationsTables>; days: number; log: Logger }): Leader {
  const { db, days, log } = options;
  return startPeriodicJob({ db, log, name: 'retention', everyMs }, ({ signal }) => sweep(db, { days, signal }));
}
