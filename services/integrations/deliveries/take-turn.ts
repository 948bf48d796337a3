import type { Database, Kysely } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { circuitState } from './circuit.ts';
import { type ClaimedDelivery, claimDue, recordSuccesses } from './claims.repo.ts';
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
 * at once, since both need the integration's lock. The ordinary turn is one statement: all went well, and the integration is still as it is
 * `known`. Any other is a transaction. Claims nothing when the integration is disabled or gone.
 */
export async function takeTurn(
  db: Database<IntegrationsTables>,
  { integrationId, known }: { integrationId: number; known: StoredIntegration | undefined },
  finished: readonly Finished[],
  { atOnce, claimMs, disableAfterMs }: TurnLimits,
): Promise<Claimed | null> {
  const isPlain = known !== undefined && finished.every((end) => isPlainSuccess(end, known));
  const takePlain = async (db: Kysely<IntegrationsTables>): Promise<Claimed | null> => {
    if (!isPlain) return null;
    const ended = finished.map(({ delivery, attempt, published }) => ({ delivery, attempt, outcome: published }));
    const claiming = { integrationId, fromEventId: known.fromEventId, atOnce, claimMs };
    const deliveries = await recordSuccesses(db, known, ended, claiming);
    return deliveries && { integration: known, deliveries };
  };
  const taken = await takePlain(db.kysely);
  if (taken) return taken;
  return db.transaction(async (trx) => {
    const locked = await lockIntegration(trx, integrationId);
    if (!locked) return null;
    // Somebody else, mostly the intake, had the lock before: then it is an ordinary turn after all.
    const takenNow = await takePlain(trx);
    if (takenNow) return takenNow;
    const integration = finished.length > 0 ? await recordAttempts(trx, locked, finished, disableAfterMs) : locked;
    if (!integration.enabled || atOnce === 0) return null;
    const state = circuitState(integration.circuit, Date.now());
    if (state === 'open') return null;
    const limit = state === 'half-open' ? 1 : atOnce;
    const claiming = { integrationId, fromEventId: integration.fromEventId, atOnce: limit, claimMs };
    return { integration, deliveries: await claimDue(trx, claiming) };
  });
}

/** Whether an attempt asks for no decision: all was sent, by what the integration is. */
function isPlainSuccess({ integration, published }: Finished, known: StoredIntegration): boolean {
  const { state, next, progress } = published;
  return integration.version === known.version && state === 'success' && next === 'done' && progress === null;
}
