import { type DeliveryAttempt, type listDeliveryAttempts, maxAttempts } from '@yardarm/shared/contracts/integrations';
import type { z } from 'zod';
import { integrationNotFound } from '../integrations/integration.ts';
import { findIntegration } from '../integrations/integrations.repo.ts';
import { outcomeNotFound } from '../outcomes/outcome.ts';
import { findOutcomeEventId } from '../outcomes/outcomes.repo.ts';
import type { IntegrationsResources } from '../resources.ts';
import { type Attempt, findAttempts, findNextAttemptAt } from './deliveries.repo.ts';

export async function listAttempts(
  { db: { kysely } }: IntegrationsResources,
  { integrationId, integrationEventId }: z.output<typeof listDeliveryAttempts.input>,
): Promise<z.input<typeof listDeliveryAttempts.output>> {
  if (!(await findIntegration(kysely, integrationId))) throw integrationNotFound(integrationId);
  const eventId = await findOutcomeEventId(kysely, integrationId, integrationEventId);
  if (eventId === undefined) throw outcomeNotFound(integrationEventId);
  const attempts = await findAttempts(kysely, { integrationId, eventId, limit: maxAttempts });
  const nextAttemptAt = await findNextAttemptAt(kysely, { integrationId, eventId });
  return { attempts: attempts.map(toDeliveryAttempt), nextAttemptAt: nextAttemptAt?.toISOString() ?? null };
}

function toDeliveryAttempt({ startedAt, responseBody, ...attempt }: Attempt): DeliveryAttempt {
  return { ...attempt, startedAt: startedAt.toISOString(), response: responseBody };
}
