import { type Database, type Leader, type Leadership, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { deleteInBatches } from '../../db/delete-in-batches.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { begunEpochs } from '../../metrics.ts';
import { beginEpoch, countRemovals, deleteForgotten, type Removals } from './removals.repo.ts';

/**
 * Each gateway reads all counters every second, so those of deleted projects are at most ten times as many as an
 * installation has projects by default: some 250 kB. The removals of flags and of uses of segments are read by an
 * index, and a million take some 150 MB.
 */
const bounds: Removals = { gonePlaces: 5_000, removals: 1_000_000 };

/** Who may delete projects deletes some 20 in a second, which are 12,000 counters of two environments until then. */
const everyMs = 300_000;

/**
 * The job that deletes what the deletions of projects, environments and flags leave, in one replica at a time. The
 * states of such a row, which is the counter of a deleted place or a removal:
 *
 *   needed     A reader may have an older state, and learns of the deletion by the row.
 *   forgotten  An epoch began later, because there were more rows than the bounds. Readers of an earlier epoch get the
 *              whole state, as after a restore, so nobody needs the row. The job deletes it.
 */
export function startForgettingRemovals({ db, log }: { db: Database<FlagsTables>; log: Logger }): Leader {
  return startPeriodicJob({ db, log, name: 'removal-retention', everyMs }, async (leadership) => {
    if (await forgetRemovals(db, leadership, bounds))
      log.info('an epoch begins, since deleted projects and flags left many rows; gateways and SDKs read all again');
  });
}

/** Returns whether an epoch has begun. */
export async function forgetRemovals(
  db: Database<FlagsTables>,
  leadership: Pick<Leadership, 'requireCurrent' | 'signal'>,
  most: Removals,
): Promise<boolean> {
  const { gonePlaces, removals } = await countRemovals(db.kysely);
  const begins = gonePlaces > most.gonePlaces || removals > most.removals;
  if (begins) {
    await db.transaction(async (trx) => {
      await leadership.requireCurrent(trx);
      await beginEpoch(trx);
      trx.onCommit(() => begunEpochs.inc());
    });
  }
  await deleteInBatches(db, leadership, deleteForgotten);
  return begins;
}
