import type { ServedContext } from '@yardarm/shared/bus';
import type { Event } from '@yardarm/shared/contracts/events';
import type { testIntegration as contract, TestOutcome } from '@yardarm/shared/contracts/integrations';
import { AppError } from '@yardarm/shared/errors';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import type { IntegrationsResources } from '../resources.ts';
import { integrationEventData, integrationNotFound, openParameters, type StoredIntegration } from './integration.ts';
import { findIntegration } from './integrations.repo.ts';

/** The part of the caller's time that remains for the answer. */
const answerMs = 500;

/** Each holds a body of up to 8 MB (send.ts) until its endpoint answers. A test takes as long as the endpoint. */
const turns = new ConcurrencyLimit(16, 'Too many integrations are being tested.');

/**
 * Sends a harmless event to an integration, like a real event but once, and answers with the result. Works for a
 * disabled integration too, so that it can be tested before it is enabled. Stores nothing.
 */
export async function testIntegration(
  { db, providers, keys }: IntegrationsResources,
  { id }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<TestOutcome> {
  const integration = await findIntegration(db.kysely, id);
  if (!integration) throw integrationNotFound(id);
  const provider = providers.get(integration.provider);
  if (!provider) throw new AppError('conflict', `There is no provider ${integration.provider} any more.`);
  const parameters = openParameters(keys, integration);
  return turns.run(context, async () => {
    const startedAt = new Date();
    const event = testEvent(integration, context.actor, startedAt);
    const { state, stateDetails, details, status } = await provider.publish({
      ...{ integrationId: id, parameters, event, eventJson: JSON.stringify(event), progress: null, epoch: null },
      traceparent: context.traceparent,
      signal: AbortSignal.timeout(Math.max(0, context.deadline - startedAt.getTime() - answerMs)),
      onRendered: () => {},
    });
    return { state, stateDetails, details, status, durationMs: Date.now() - startedAt.getTime(), event };
  });
}

/** The event describes the integration itself and changes nothing, so that no receiver acts on it. */
function testEvent(integration: StoredIntegration, actor: ServedContext['actor'], now: Date): Event {
  const data = { ...integrationEventData(integration), test: true };
  return {
    // Milliseconds are far above every id of the log, so that no endpoint confuses the test with a later event.
    id: now.getTime(),
    createdAt: now.toISOString(),
    type: 'addon-config-updated',
    createdBy: actor?.email ?? actor?.username ?? 'unknown',
    createdByUserId: actor?.id ?? null,
    environment: null,
    project: null,
    featureName: null,
    data,
    preData: data,
    tags: [],
  };
}
