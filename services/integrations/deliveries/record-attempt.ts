import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationData, integrationKey, type StoredIntegration } from '../integrations/integration.ts';
import { changeIntegration, lockIntegration, writeCircuit } from '../integrations/integrations.repo.ts';
import { insertOutcome, updateOutcome } from '../outcomes/outcomes.repo.ts';
import type { Published } from '../providers/index.ts';
import { afterCall, hasFailedTooLong } from './circuit.ts';
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
import { afterAttempt, retryAfterMs } from './delivery.ts';

type Trx = Transaction<IntegrationsTables>;

/**
 * Keeps an attempt, its outcome, how the delivery goes on and how the endpoint fares, in one transaction. A worker whose claim ran out
 * changes no state; its attempt is kept, and its outcome too unless there is a success already. `disableAfterMs` is how long an endpoint
 * may fail without a success before its integration is disabled.
 */
export async function recordAttempt(
  db: Database<IntegrationsTables>,
  { integration: used, delivery }: { integration: StoredIntegration; delivery: ClaimedDelivery },
  attempt: Attempt,
  published: Published,
  disableAfterMs: number,
): Promise<void> {
  // Outside the transaction, which may be run again.
  const chance = { random: Math.random(), nowMs: Date.now() };
  const step = afterAttempt(delivery.scheduled, published, chance);
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
    const next = step.state === 'waiting' && !isToBeTriedAgain ? { state: 'cancelled' as const } : step;
    await moveOn(trx, delivery.id, next, published.progress);
    // What has been changed since may have another endpoint.
    if (!integration.enabled || integration.version !== used.version) return;
    const isGone = step.state === 'gave-up' && step.isGone;
    const hasFailed = published.state === 'failed';
    const limit = { limitMs: disableAfterMs, nowMs: chance.nowMs };
    if (isGone || (hasFailed && hasFailedTooLong(integration.circuit, limit))) {
      await disable(trx, integration, delivery.traceparent);
    } else if (published.errorCode !== 'internal') {
      const circuit = afterCall(
        integration.circuit,
        { succeeded: !hasFailed, askedMs: askedOfAll(published, chance.nowMs) },
        chance,
      );
      if (circuit !== 'stays') await writeCircuit(trx, integration.id, circuit === 'closes' ? null : circuit);
    }
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

/** 429 and 503 speak of the endpoint, and their Retry-After of every message to it; other answers of the one message. */
function askedOfAll({ status, retryAfter }: Published, nowMs: number): number {
  return status === 429 || status === 503 ? retryAfterMs(retryAfter, nowMs) : 0;
}

/** The endpoint is gone (410) or has not worked for days: no more is sent until somebody enables it again. */
async function disable(trx: Trx, integration: StoredIntegration, traceparent: string | null): Promise<void> {
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
