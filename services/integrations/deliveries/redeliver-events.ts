import type { redeliverEvent as contract } from '@yardarm/shared/contracts/integrations';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationNotFound, type StoredIntegration } from '../integrations/integration.ts';
import { findIntegration, lockIntegration } from '../integrations/integrations.repo.ts';
import { outcomeNotFound } from '../outcomes/outcome.ts';
import { findOutcomeEventId } from '../outcomes/outcomes.repo.ts';
import type { IntegrationsResources } from '../resources.ts';
import { countRange, hasEventOfPeople, type Range, scheduleRedelivery } from './deliveries.repo.ts';
import { mayNotBeSent } from './delivery.ts';

/** A request changes so many rows in some hundred milliseconds, and holds the lock of the integration for so long. */
const maxDeliveries = 10_000;

/** Sends one event again to an integration that has an outcome of it. */
export async function redeliverEvent(
  { db, schedule }: IntegrationsResources,
  { integrationId, integrationEventId }: z.output<typeof contract.input>,
): Promise<{ redelivered: number }> {
  const redelivered = await db.transaction(async (trx) => {
    const { maySendEventsOfPeople } = await lockEnabled(trx, integrationId);
    const eventId = await findOutcomeEventId(trx, integrationId, integrationEventId);
    if (eventId === undefined) throw outcomeNotFound(integrationEventId);
    const one = { integrationId, from: eventId, to: eventId, onlyFailed: false };
    if (!maySendEventsOfPeople && (await hasEventOfPeople(trx, eventId))) throw new AppError('conflict', mayNotBeSent);
    return scheduleRedelivery(trx, { ...one, maySendEventsOfPeople });
  });
  schedule([integrationId]);
  return { redelivered };
}

/**
 * Sends a range of events again, as far as the integration has deliveries of them. Events of people are skipped if the
 * integration may not be sent them.
 */
export async function redeliverRange(
  { db, schedule }: IntegrationsResources,
  range: Range,
): Promise<{ redelivered: number }> {
  const redelivered = await db.transaction(async (trx) => {
    const { maySendEventsOfPeople } = await lockEnabled(trx, range.integrationId);
    const redelivery = { ...range, maySendEventsOfPeople };
    const count = await countRange(trx, redelivery);
    if (count > maxDeliveries) throw tooMany(count);
    return scheduleRedelivery(trx, redelivery);
  });
  schedule([range.integrationId]);
  return { redelivered };
}

/** Counts what `redeliverRange` would send again, also while the integration is disabled. */
export async function countRedeliverable(
  { db: { kysely } }: IntegrationsResources,
  range: Range,
): Promise<{ redeliverable: number }> {
  const integration = await findIntegration(kysely, range.integrationId);
  if (!integration) throw integrationNotFound(range.integrationId);
  return {
    redeliverable: await countRange(kysely, { ...range, maySendEventsOfPeople: integration.maySendEventsOfPeople }),
  };
}

/** The lock prevents that another transaction disables the integration or settles an attempt. */
async function lockEnabled(trx: Transaction<IntegrationsTables>, id: number): Promise<StoredIntegration> {
  const integration = await lockIntegration(trx, id);
  if (!integration) throw integrationNotFound(id);
  if (!integration.enabled) throw new AppError('conflict', 'The integration is disabled: nothing can be sent to it.');
  return integration;
}

function tooMany(count: number): AppError {
  const message = `The range holds ${count} deliveries; at most ${maxDeliveries} can be sent again at once. Ask for a part of it.`;
  return new AppError('bad-data', message, { details: [{ message, path: '.to' }] });
}
