import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationData, integrationKey, type StoredIntegration } from '../integrations/integration.ts';
import { changeIntegration, lockIntegration } from '../integrations/integrations.repo.ts';
import { insertOutcome, updateOutcome } from '../outcomes/outcomes.repo.ts';
import type { Published } from '../providers/index.ts';
import {
  type Attempt,
  type ClaimedDelivery,
  cancelDeliveries,
  findDelivery,
  handBack,
  insertAttempt,
  moveOn,
  setOutcome,
} from './deliveries.repo.ts';
import { afterAttempt } from './delivery.ts';

type Trx = Transaction<IntegrationsTables>;

/**
 * Keeps an attempt, its outcome, and how the delivery goes on, in one transaction. A worker whose claim ran out changes no state;
 * its attempt is kept, and its outcome too unless there is a success already.
 */
export async function recordAttempt(
  db: Database<IntegrationsTables>,
  { integration: used, delivery }: { integration: StoredIntegration; delivery: ClaimedDelivery },
  attempt: Attempt,
  published: Published,
): Promise<void> {
  // Outside the transaction, which may be run again.
  const step = afterAttempt(delivery.attempt, published, { random: Math.random(), nowMs: Date.now() });
  await db.transaction(async (trx) => {
    const integration = await lockIntegration(trx, used.id);
    const found = integration && (await findDelivery(trx, delivery.id));
    // Deleted meanwhile, with all that it got.
    if (!found) return;
    await insertAttempt(trx, delivery.id, attempt);
    if (found.outcomeId === null) await setOutcome(trx, delivery.id, await insertOutcome(trx, delivery, published));
    else await updateOutcome(trx, found.outcomeId, published);
    if (found.claim !== delivery.claim) return;
    const isToBeTriedAgain = step.state === 'waiting' && integration.enabled;
    await moveOn(trx, delivery.id, step.state === 'waiting' && !isToBeTriedAgain ? { state: 'cancelled' } : step);
    if (step.state === 'gave-up' && step.isGone) await disableGone(trx, integration, used, delivery.traceparent);
  });
}

/** Gives a delivery back whose sending was cut off because this process stops. */
export async function recordInterrupted(
  db: Database<IntegrationsTables>,
  delivery: ClaimedDelivery,
  attempt: Attempt,
): Promise<void> {
  await db.transaction(async (trx) => {
    const integration = await lockIntegration(trx, delivery.integrationId);
    const found = integration && (await findDelivery(trx, delivery.id));
    if (!found) return;
    await insertAttempt(trx, delivery.id, attempt);
    if (found.claim !== delivery.claim) return;
    if (integration.enabled) await handBack(trx, delivery.id);
    else await moveOn(trx, delivery.id, { state: 'cancelled' });
  });
}

/** 410: the endpoint is gone for good. Not if the integration has been changed since: it may have another endpoint now. */
async function disableGone(
  trx: Trx,
  integration: StoredIntegration,
  used: StoredIntegration,
  traceparent: string | null,
): Promise<void> {
  if (!integration.enabled || integration.version !== used.version) return;
  const disabled = { ...integration, enabled: false };
  await changeIntegration(trx, disabled);
  await cancelDeliveries(trx, integration.id, ['pending', 'waiting']);
  await appendEvent(trx, {
    type: 'addon-config-updated',
    actor: systemActor,
    data: integrationData(disabled),
    preData: integrationData(integration),
    orderingKey: integrationKey(integration.id),
    requestId: null,
    traceparent,
  });
}
