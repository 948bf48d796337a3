import type { Database, Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { lockIntake } from '../intake/position.repo.ts';
import {
  deleteDelivered,
  deleteEvents,
  deleteIntegrationRow,
  deleteLeftBehind,
  deleteNeverTried,
  findSwept,
  lockForSweeping,
} from './retention.repo.ts';

/** A transaction of so many rows takes some tens of milliseconds, and for so long an integration's attempts wait to be written down. */
const limit = 1_000;

/**
 * Deletes what is older than the retention, and what deleted integrations left behind, in transactions of bounded size. Ends early when
 * `signal` does. An outcome goes with its delivery, its attempts and, once no other integration has a delivery of it, its event.
 */
export async function sweep(
  db: Database<IntegrationsTables>,
  { days, signal }: { days: number; signal: AbortSignal },
): Promise<void> {
  const repeat = async (step: (trx: Transaction<IntegrationsTables>) => Promise<number>) => {
    while (!signal.aborted && (await db.transaction(step)) >= limit);
  };
  for (const { id, isDeleted } of await findSwept(db.kysely)) {
    await repeat(async (trx) => {
      await lockForSweeping(trx, id);
      return isDeleted ? deleteLeftBehind(trx, id, limit) : deleteDelivered(trx, id, { days, limit });
    });
    if (isDeleted && !signal.aborted) await db.transaction((trx) => deleteIntegrationRow(trx, id));
  }
  await repeat((trx) => deleteNeverTried(trx, { days, limit }));
  await repeat(async (trx) => {
    await lockIntake(trx);
    return deleteEvents(trx, { days, limit });
  });
}
