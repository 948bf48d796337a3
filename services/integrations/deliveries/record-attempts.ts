import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationData, integrationKey, type StoredIntegration } from '../integrations/integration.ts';
import { changeIntegration, lockIntegration, writeCircuit } from '../integrations/integrations.repo.ts';
import { disabledIntegrations, gaveUpDeliveries } from '../metrics.ts';
import { insertOutcomes, updateOutcome } from '../outcomes/outcomes.repo.ts';
import type { Published } from '../providers/index.ts';
import { afterCall, type Circuit, circuitAfter, closedCircuit, hasFailedTooLong } from './circuit.ts';
import type { ClaimedDelivery } from './claims.repo.ts';
import { type Attempt, cancelDeliveries, handBack, insertAttempts, type Move, moveOn } from './deliveries.repo.ts';
import { afterAttempt, retryAfterMs } from './delivery.ts';

type Trx = Transaction<IntegrationsTables>;

/** An attempt that has ended and is to be recorded. */
export interface Finished {
  /** The integration as it was when the delivery was claimed. */
  integration: StoredIntegration;
  delivery: ClaimedDelivery;
  attempt: Attempt;
  published: Published;
  /** Decided once, since a transaction may be run again. */
  chance: { random: number; nowMs: number };
}

/**
 * Keeps attempts of different deliveries of one locked integration, their outcomes, how the deliveries go on and how the endpoint fares;
 * returns the integration as it is then. A worker whose claim ran out changes no state; its attempt is kept, and its outcome too unless
 * there is a success already. `disableAfterMs` is how long an endpoint may fail without a success before its integration is disabled.
 */
export async function recordAttempts(
  trx: Trx,
  locked: StoredIntegration,
  all: readonly Finished[],
  disableAfterMs: number,
): Promise<StoredIntegration> {
  const found = await insertAttempts(
    trx,
    all.map(({ delivery, attempt }) => ({ deliveryId: delivery.id, attempt })),
  );
  const finished = all.filter(({ delivery }) => found.has(delivery.id));
  if (finished.length === 0) return locked;
  const outcomes = await writeOutcomes(trx, locked.id, finished, found);
  const moves: Move[] = [];
  let integration = locked;
  let ending: Finished | null = null;
  for (const end of finished) {
    const { id, eventId, claim, scheduled } = end.delivery;
    const isOurs = found.get(id)!.claim === claim;
    const step = afterAttempt(scheduled, end.published, end.chance);
    const isToBeCancelled = step.state === 'waiting' && !integration.enabled;
    const { progress } = end.published;
    const outcomeId = outcomes.get(eventId)!;
    moves.push({ id, outcomeId, progress, step: isOurs ? (isToBeCancelled ? { state: 'cancelled' } : step) : null });
    // What has been changed since may have another endpoint.
    if (!isOurs || !integration.enabled || integration.version !== end.integration.version) continue;
    const isGone = step.state === 'gave-up' && step.isGone;
    const hasFailed = end.published.state === 'failed';
    const limit = { limitMs: disableAfterMs, nowMs: end.chance.nowMs };
    if (isGone || (hasFailed && hasFailedTooLong(integration.circuit, limit))) {
      ending = end;
      integration = { ...integration, enabled: false, circuit: closedCircuit };
    } else integration = { ...integration, circuit: circuitAfterEnd(integration.circuit, end) };
  }
  await moveOn(trx, moves);
  const gaveUp = moves.filter(({ step }) => step?.state === 'gave-up').length;
  trx.onCommit(() => {
    if (gaveUp > 0) gaveUpDeliveries.inc({ provider: locked.provider }, gaveUp);
    if (ending !== null) disabledIntegrations.inc();
  });
  if (ending !== null) await disable(trx, locked, ending.delivery.traceparent);
  else if (integration.circuit !== locked.circuit) await writeCircuit(trx, locked.id, integration.circuit);
  return integration;
}

/** Gives a delivery back whose sending was cut off because this process stops. */
export async function recordInterrupted(
  db: Database<IntegrationsTables>,
  { id, integrationId, claim }: ClaimedDelivery,
  attempt: Attempt,
): Promise<void> {
  await db.transaction(async (trx) => {
    const integration = await lockIntegration(trx, integrationId);
    const found = integration && (await insertAttempts(trx, [{ deliveryId: id, attempt }])).get(id);
    if (!found || found.claim !== claim) return;
    await handBack(trx, id);
    if (!integration.enabled) await cancelDeliveries(trx, integrationId, ['pending', 'waiting']);
  });
}

/** The outcome of each by its event: made by the first attempt, changed by later ones. */
async function writeOutcomes(
  trx: Trx,
  integrationId: number,
  finished: readonly Finished[],
  found: ReadonlyMap<number, { outcomeId: number | null }>,
): Promise<Map<number, number>> {
  const first = finished.filter(({ delivery }) => found.get(delivery.id)!.outcomeId === null);
  const outcomes = await insertOutcomes(
    trx,
    integrationId,
    first.map(({ delivery, published }) => ({ eventId: delivery.eventId, outcome: published })),
  );
  for (const { delivery, published } of finished) {
    const { outcomeId } = found.get(delivery.id)!;
    if (outcomeId === null) continue;
    await updateOutcome(trx, outcomeId, published);
    outcomes.set(delivery.eventId, outcomeId);
  }
  return outcomes;
}

function circuitAfterEnd(circuit: Circuit, { published, chance }: Finished): Circuit {
  // The fault is ours, or the template's, and says nothing of the endpoint.
  if (published.errorCode === 'internal' || published.errorCode === 'template') return circuit;
  const askedMs = askedOfAll(published, chance.nowMs);
  return circuitAfter(
    circuit,
    afterCall(circuit, { succeeded: published.state !== 'failed', askedMs }, chance),
    chance.nowMs,
  );
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
  appendEvent(trx, {
    type: 'addon-config-updated',
    actor: systemActor,
    data: integrationData(disabled),
    preData: integrationData(integration),
    orderingKey: integrationKey(integration.id),
    requestId: null,
    traceparent,
  });
}
