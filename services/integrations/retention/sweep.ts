import type { Database, Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { lockIntake } from '../intake/position.repo.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import {
  cancelPendingOfDisabled,
  deleteDeliveriesOf,
  deleteIntegrationRow,
  deleteOldDeliveries,
  deleteOldEvents,
  deleteUntriedDeliveries,
  findSweepTargets,
} from './retention.repo.ts';

/** Such a transaction takes some tens of milliseconds, and blocks the settlements of the integration for so long. */
const limit = 1_000;

/**
 * Deletes data older than the retention, and the data of deleted integrations, in transactions of bounded size. An
 * outcome is deleted with its delivery and its attempts. Its event is deleted when no integration has a delivery of it.
 * Ends early with `signal`.
 */
export async function sweep(
  db: Database<IntegrationsTables>,
  { days, signal }: { days: number; signal: AbortSignal },
): Promise<void> {
  const repeat = async (step: (trx: Transaction<IntegrationsTables>) => Promise<number>) => {
    while (!signal.aborted && (await db.transaction(step)) >= limit);
  };
  for (const { id, isDeleted } of await findSweepTargets(db.kysely)) {
    await repeat(async (trx) => {
      // First, as in the intake, which locks it before it inserts deliveries.
      await lockIntake(trx);
      await lockIntegration(trx, id);
      await cancelPendingOfDisabled(trx, id);
      return isDeleted ? deleteDeliveriesOf(trx, id, limit) : deleteOldDeliveries(trx, id, { days, limit });
    });
    if (isDeleted && !signal.aborted) await db.transaction((trx) => deleteIntegrationRow(trx, id));
  }
  await repeat(async (trx) => {
    await lockIntake(trx);
    return deleteUntriedDeliveries(trx, { days, limit });
  });
  // Some old events stay for a delivery of theirs. Those behind them are looked at, too.
  let after: number | null = 0;
  while (after !== null && !signal.aborted) {
    const from: number = after;
    after = await db.transaction(async (trx) => {
      await lockIntake(trx);
      return deleteOldEvents(trx, from, { days, limit });
    });
  }
}
