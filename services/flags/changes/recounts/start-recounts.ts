import { type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { FlagsResources } from '../../resources.ts';
import { recountSizes } from './recount-sizes.ts';

/** With 50,000 flags in three environments a run that finds nothing takes 2.6 s, in statements of 26 ms. */
const everyMs = 3_600_000;
/** A replica that starts has more urgent work, and a rolling upgrade often ends within a minute. */
const delayMs = 60_000;

/**
 * The job that corrects sizes, in one replica at a time. Only replicas of the release before, which write no sizes,
 * make them wrong. The states of a size:
 *
 *   right  It is what `sizes.repo.ts` counts.
 *   wrong  It differs. The next run corrects it.
 */
export function startRecounts({
  db,
  bus,
  limits,
  log,
}: Pick<FlagsResources, 'bus' | 'db' | 'limits'> & { log: Logger }): Leader {
  return startPeriodicJob({ db, log, name: 'size-recount', everyMs }, async (leadership) => {
    await pause(delayMs, leadership.signal);
    const recount = await recountSizes({ db, bus, limits }, leadership);
    if (Object.values(recount).some((count) => count > 0)) log.info(recount, 'sizes were wrong and are corrected');
  });
}
