import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationEventData, integrationOrderingKey, type StoredIntegration } from '../integrations/integration.ts';
import { updateCircuit, updateIntegrationRow } from '../integrations/integrations.repo.ts';
import { disabledIntegrations, gaveUpDeliveries, settledDeliveries } from '../metrics.ts';
import type { Progress, SendResult } from '../providers/index.ts';
import { retryAfterMs } from '../retry-after.ts';
import { afterCall, type Circuit, circuitAfter, closedCircuit, hasFailedTooLong } from './circuit.ts';
import type { ClaimedDelivery } from './claims.repo.ts';
import {
  type Attempt,
  cancelDeliveries,
  cancelEventsOfPeople,
  type NewOutcome,
  type Settlement,
  settleAttempts,
} from './deliveries.repo.ts';
import { afterAttempt } from './delivery.ts';

type Trx = Transaction<IntegrationsTables>;

export interface EndedAttempt {
  version: number;
  delivery: ClaimedDelivery;
  attempt: Attempt;
  /** By the monotonic clock, in ms. */
  endedAt: number;
  /** Null if this process cut the send off to stop, or could not load its event; the delivery is due again at once. */
  result: SendResult | null;
  /** The channels that have the message, also of a send that was cut off. */
  progress: Progress | null;
  /** The sent body equals the stored event, and is not stored again. */
  isBodyEvent: boolean;
  /** Drawn once, because a transaction may run again. */
  drawn: { random: number; nowMs: number };
}

/**
 * Settles ended attempts of different deliveries of one locked integration: records them, schedules their deliveries
 * and changes the circuit. Returns the integration after that. `disableAfterMs` is how long an endpoint may fail
 * without a success before its integration is disabled.
 */
export async function settle(
  trx: Trx,
  locked: StoredIntegration,
  ended: readonly EndedAttempt[],
  disableAfterMs: number,
): Promise<StoredIntegration> {
  if (ended.length === 0) return locked;
  const settlements = ended.map((end) => settlementOf(end, locked.enabled));
  const owned = await settleAttempts(trx, locked.id, settlements);
  if (!locked.maySendEventsOfPeople)
    await cancelEventsOfPeople(trx, locked.id, { states: ['pending', 'waiting'], eventIds: [...owned] });
  let integration = locked;
  let disabledBy: EndedAttempt | null = null;
  for (const [index, end] of ended.entries()) {
    // The integration may have another endpoint since the claim.
    if (!owned.has(end.delivery.eventId) || !end.result || !integration.enabled || locked.version !== end.version)
      continue;
    const { step } = settlements[index]!;
    const isGone = step.state === 'gave-up' && step.isGone;
    const limit = { limitMs: disableAfterMs, nowMs: end.drawn.nowMs };
    if (isGone || (end.result.state === 'failed' && hasFailedTooLong(integration.circuit, limit))) {
      disabledBy = end;
      integration = { ...integration, enabled: false, circuit: closedCircuit };
    } else integration = { ...integration, circuit: circuitAfterEnd(integration.circuit, end.result, end.drawn) };
  }
  const settled = settlements.filter(({ eventId }) => owned.has(eventId));
  trx.onCommit(() => {
    const { provider } = locked;
    for (const { step } of settled) {
      settledDeliveries.inc({ provider, state: step.state });
      if (step.state === 'gave-up') gaveUpDeliveries.inc({ provider });
    }
    if (disabledBy !== null) disabledIntegrations.inc();
  });
  if (disabledBy !== null) await disable(trx, locked, disabledBy.delivery.traceparent);
  else if (integration.circuit !== locked.circuit) await updateCircuit(trx, locked.id, integration.circuit);
  return integration;
}

function settlementOf(
  { delivery, attempt, result, progress, isBodyEvent, drawn }: EndedAttempt,
  isEnabled: boolean,
): Settlement {
  const { eventId, claim, scheduled } = delivery;
  const step = result ? afterAttempt(scheduled, result, drawn) : ({ state: 'waiting', nextAttemptInMs: 0 } as const);
  return {
    ...{ eventId, claim, attempt },
    step: step.state === 'waiting' && !isEnabled ? { state: 'cancelled' } : step,
    progress,
    outcome: result && outcomeOf(result, isBodyEvent),
  };
}

function outcomeOf({ state, stateDetails, details }: SendResult, isBodyEvent: boolean): NewOutcome {
  const { body: _, ...others } = details;
  return { state, stateDetails, details: isBodyEvent ? others : details, isBodyEvent };
}

function circuitAfterEnd(circuit: Circuit, result: SendResult, drawn: EndedAttempt['drawn']): Circuit {
  // The error is ours or the template's, and says nothing about the endpoint.
  if (result.errorCode === 'internal' || result.errorCode === 'template') return circuit;
  const succeeded = result.state !== 'failed';
  const step = afterCall(circuit, { succeeded, askedMs: endpointWaitMs(result, drawn.nowMs) }, drawn);
  return circuitAfter(circuit, step, drawn.nowMs);
}

/** The Retry-After of a 429 or 503 applies to the endpoint, and of another status to the one message. */
function endpointWaitMs({ status, retryAfter }: SendResult, nowMs: number): number {
  return status === 429 || status === 503 ? retryAfterMs(retryAfter, nowMs) : 0;
}

/** Disables an integration whose endpoint is gone (410) or has failed for days. */
async function disable(trx: Trx, integration: StoredIntegration, traceparent: string | null): Promise<void> {
  const disabled = { ...integration, enabled: false };
  await updateIntegrationRow(trx, disabled);
  await cancelDeliveries(trx, integration.id, ['pending', 'waiting']);
  appendEvent(trx, {
    type: 'addon-config-updated',
    actor: systemActor,
    data: integrationEventData(disabled),
    preData: integrationEventData(integration),
    orderingKey: integrationOrderingKey(integration.id),
    requestId: null,
    traceparent,
  });
}
