import type { IntegrationState } from '@yardarm/shared/contracts/integrations';
import { circuitState } from '../deliveries/circuit.ts';
import type { IntegrationsResources } from '../resources.ts';
import { findStates, type StoredState } from './states.repo.ts';

export async function listIntegrationStates({
  db: { kysely },
}: Pick<IntegrationsResources, 'db'>): Promise<{ states: IntegrationState[] }> {
  const nowMs = Date.now();
  return { states: (await findStates(kysely)).map((stored) => toState(stored, nowMs)) };
}

function toState({ integrationId, waiting, dueAt, ...stored }: StoredState, nowMs: number): IntegrationState {
  const { failures, failingSince, pausedUntil, outcomeId, outcome, outcomeCreatedAt } = stored;
  return {
    integrationId,
    circuit: circuitState(stored, nowMs),
    failures,
    failingSince: failingSince?.toISOString() ?? null,
    pausedUntil: pausedUntil?.toISOString() ?? null,
    waiting,
    // Nothing is sent before the pause ends.
    nextAttemptAt: dueAt && new Date(Math.max(dueAt.getTime(), pausedUntil?.getTime() ?? 0)).toISOString(),
    lastOutcome:
      outcomeId && outcome && outcomeCreatedAt
        ? { id: outcomeId, state: outcome, createdAt: outcomeCreatedAt.toISOString() }
        : null,
  };
}
