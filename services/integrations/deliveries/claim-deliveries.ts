import type { Database } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { circuitState } from './circuit.ts';
import { type ClaimedDelivery, claimDue } from './deliveries.repo.ts';

/** Deliveries to send now, with the integration as it was when they were claimed. */
export interface Claimed {
  integration: StoredIntegration;
  deliveries: ClaimedDelivery[];
}

/** Claims what is due for an integration, no more than its circuit lets through; nothing when it is disabled or gone. */
export async function claimDeliveries(
  db: Database<IntegrationsTables>,
  integrationId: number,
  limits: { atOnce: number; claimMs: number },
): Promise<Claimed | null> {
  return db.transaction(async (trx) => {
    const integration = await lockIntegration(trx, integrationId);
    if (!integration?.enabled) return null;
    const { id, fromEventId, circuit } = integration;
    const state = circuitState(circuit, Date.now());
    if (state === 'open') return null;
    const atOnce = state === 'half-open' ? 1 : limits.atOnce;
    return { integration, deliveries: await claimDue(trx, { integrationId: id, fromEventId }, { ...limits, atOnce }) };
  });
}
