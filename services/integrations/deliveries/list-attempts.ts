import { type DeliveryAttempt, type listDeliveryAttempts, maxAttempts } from '@yardarm/shared/contracts/integrations';
import type { Database } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationNotFound } from '../integrations/integrations.handlers.ts';
import { findIntegration } from '../integrations/integrations.repo.ts';
import { findOutcomeEvent } from '../outcomes/outcomes.repo.ts';
import { findAttempts } from './deliveries.repo.ts';
import { integrationEventNotFound } from './redeliver.ts';

/** The attempts of one delivery, newest first. */
export async function listAttempts(
  { kysely }: Database<IntegrationsTables>,
  { integrationId, integrationEventId }: z.output<typeof listDeliveryAttempts.input>,
): Promise<{ attempts: DeliveryAttempt[] }> {
  if (!(await findIntegration(kysely, integrationId))) throw integrationNotFound(integrationId);
  const eventId = await findOutcomeEvent(kysely, integrationId, integrationEventId);
  if (eventId === undefined) throw integrationEventNotFound(integrationEventId);
  return { attempts: await findAttempts(kysely, { integrationId, eventId, limit: maxAttempts }) };
}
