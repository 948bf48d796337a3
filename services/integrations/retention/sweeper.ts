import { type Database, type Leader, runAsLeader } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { IntegrationsTables } from '../db/schema.ts';
import { sweep } from './sweep.ts';

/** A minute is precise enough for days of retention, and the rows of a deleted integration are deleted soon. */
const everyMs = 60_000;

/** The lease only saves work: two sweeps at once delete the same rows, once. */
export function startSweeper(options: { db: Database<IntegrationsTables>; days: number; log: Logger }): Leader {
  const { db, days, log } = options;
  return runAsLeader({ db, name: 'retention', log }, async ({ signal }) => {
    for (;;) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      await sweep(db, { days, signal }).catch((error: unknown) =>
        log.warn({ err: coerceError(error) }, 'cannot sweep; trying again in a minute'),
      );
    }
  });
}
