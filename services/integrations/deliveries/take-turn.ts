import type { Database } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { circuitState } from './circuit.ts';
import { type ClaimedDelivery, claimDue } from './deliveries.repo.ts';
import { type Finished, recordAttempts } from './record-attempts.ts';

/** Deliveries to send now, with the integration as it was when they were claimed. */
export interface Claimed {
  integration: StoredIntegration;
  deliveries: ClaimedDelivery[];
}

export interface TurnLimits {
  /** Sends at once, over all replicas; 0 claims nothing. */
  atOnce: number;
  claimMs: number;
  disableAfterMs: number;
}

/**
 * One turn of an integration: what has been sent is recorded, and what is due next is claimed, no more than the circuit lets through;
 * in one transaction, since both need the integration's lock. Claims nothing when it is disabled or gone.
 */
export async function takeTurn(
  db: Database<IntegrationsTables>,
  integrationId: number,
  finished: readonly Finished[],
  { atOnce, claimMs, disableAfterMs }: TurnLimits,
): Promise<Claimed | null> {
  return db.transaction(async (trx) => {
    const locked = await lockIntegration(trx, integrationId);
    if (!locked) return null;
    const integration = finished.length > 0 ? await recordAttempts(trx, locked, finished, disableAfterMs) : locked;
    if (!integration.enabled || atOnce === 0) return null;
    const state = circuitState(integration.circuit, Date.now());
    if (state === 'open') return null;
    const { id, fromEventId } = integration;
    const due = { integrationId: id, fromEventId };
    const limit = state === 'half-open' ? 1 : atOnce;
    return { integration, deliveries: await claimDue(trx, due, { atOnce: limit, claimMs }) };
  });
}
