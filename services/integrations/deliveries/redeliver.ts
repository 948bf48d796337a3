import type { redeliverEvent } from '@yardarm/shared/contracts/integrations';
import type { Database, Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationNotFound } from '../integrations/integrations.handlers.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { findOutcomeEvent } from '../outcomes/outcomes.repo.ts';
import { countDelivered, type Range, sendAgain } from './deliveries.repo.ts';

interface Parts {
  db: Database<IntegrationsTables>;
  onDue(): void;
}

/** A request changes so many rows in some hundred milliseconds, and holds the lock of the integration for so long. */
const maxConcurrent = 10_000;

/** Sends one event again to an integration that has an outcome of it. */
export async function redeliverOne(
  { db, onDue }: Parts,
  { integrationId, integrationEventId }: z.output<typeof redeliverEvent.input>,
): Promise<{ redelivered: number }> {
  const redelivered = await db.transaction(async (trx) => {
    await lockEnabled(trx, integrationId);
    const eventId = await findOutcomeEvent(trx, integrationId, integrationEventId);
    if (eventId === undefined) throw integrationEventNotFound(integrationEventId);
    return sendAgain(trx, { integrationId, from: eventId, to: eventId, onlyFailed: false });
  });
  onDue();
  return { redelivered };
}

/** Sends a range of events again, as far as the integration has deliveries of them. */
export async function redeliverMany({ db, onDue }: Parts, range: Range): Promise<{ redelivered: number }> {
  const redelivered = await db.transaction(async (trx) => {
    await lockEnabled(trx, range.integrationId);
    const count = await countDelivered(trx, range);
    if (count > maxConcurrent) throw tooMany(count);
    return sendAgain(trx, range);
  });
  onDue();
  return { redelivered };
}

export function integrationEventNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find an integration event with id ${id.slice(0, 100)}.`);
}

/** The lock prevents that another transaction disables the integration or settles an attempt. */
async function lockEnabled(trx: Transaction<IntegrationsTables>, id: number): Promise<void> {
  const integration = await lockIntegration(trx, id);
  if (!integration) throw integrationNotFound(id);
  if (!integration.enabled) throw new AppError('conflict', 'The integration is disabled: nothing can be sent to it.');
}

function tooMany(count: number): AppError {
  const message = `The range holds ${count} deliveries; at most ${maxConcurrent} can be sent again at once. Ask for a part of it.`;
  return new AppError('bad-data', message, { details: [{ message, path: '.to' }] });
}
