import type { redeliverEvent as contract } from '@yardarm/shared/contracts/integrations';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationNotFound } from '../integrations/integration.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { outcomeNotFound } from '../outcomes/outcome.ts';
import { findOutcomeEventId } from '../outcomes/outcomes.repo.ts';
import type { IntegrationsResources } from '../resources.ts';
import { countRedeliverable, type Range, scheduleRedelivery } from './deliveries.repo.ts';

/** A request changes so many rows in some hundred milliseconds, and holds the lock of the integration for so long. */
const maxDeliveries = 10_000;

/** Sends one event again to an integration that has an outcome of it. */
export async function redeliverEvent(
  { db, schedule }: IntegrationsResources,
  { integrationId, integrationEventId }: z.output<typeof contract.input>,
): Promise<{ redelivered: number }> {
  const redelivered = await db.transaction(async (trx) => {
    await lockEnabled(trx, integrationId);
    const eventId = await findOutcomeEventId(trx, integrationId, integrationEventId);
    if (eventId === undefined) throw outcomeNotFound(integrationEventId);
    return scheduleRedelivery(trx, { integrationId, from: eventId, to: eventId, onlyFailed: false });
  });
  schedule([integrationId]);
  return { redelivered };
}

/** Sends a range of events again, as far as the integration has deliveries of them. */
export async function redeliverRange(
  { db, schedule }: IntegrationsResources,
  range: Range,
): Promise<{ redelivered: number }> {
  const redelivered = await db.transaction(async (trx) => {
    await lockEnabled(trx, range.integrationId);
    const count = await countRedeliverable(trx, range);
    if (count > maxDeliveries) throw tooMany(count);
    return scheduleRedelivery(trx, range);
  });
  schedule([range.integrationId]);
  return { redelivered };
}

/** The lock prevents that another transaction disables the integration or settles an attempt. */
async function lockEnabled(trx: Transaction<IntegrationsTables>, id: number): Promise<void> {
  const integration = await lockIntegration(trx, id);
  if (!integration) throw integrationNotFound(id);
  if (!integration.enabled) throw new AppError('conflict', 'The integration is disabled: nothing can be sent to it.');
}

function tooMany(count: number): AppError {
  const message = `The range holds ${count} deliveries; at most ${maxDeliveries} can be sent again at once. Ask for a part of it.`;
  return new AppError('bad-data', message, { details: [{ message, path: '.to' }] });
}
