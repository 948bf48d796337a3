import type { Event } from '@yardarm/shared/contracts/events';
import type { Database, Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { insertDeliveries } from '../deliveries/deliveries.repo.ts';
import { receives } from '../integrations/integration.ts';
import { type EnabledIntegration, findEnabledIntegrations } from '../integrations/integrations.repo.ts';
import type { LogPage } from './log-page.ts';
import { deferPosition, type LockedIntake, lockIntake } from './position.repo.ts';
import { type IdRange, shortenMissed } from './replays.repo.ts';

type Trx = Transaction<IntegrationsTables>;

export interface HandledPage {
  /** The integrations that have new deliveries. */
  receivers: readonly number[];
  /** No integration is enabled. */
  isUnreceived: boolean;
}

/**
 * Handles the page that follows the expected position in one transaction: inserts a delivery for each integration that
 * receives an event, and moves the position. The primary key of deliveries ignores what is handled again. Throws,
 * without a write, when another replica has moved the position.
 */
export async function handlePage(
  db: Database<IntegrationsTables>,
  expected: number,
  page: LogPage,
): Promise<HandledPage> {
  return db.transaction(async (trx) => {
    const { intake, integrations } = await lockExpected(trx, expected);
    const receivers = await deliver(trx, integrations, page, intake);
    deferPosition(trx, page.through);
    return { receivers, isUnreceived: integrations.length === 0 };
  });
}

/**
 * Moves the position to the id of a recorded event without a read, if no integration is enabled. One that is enabled
 * later receives only what is recorded later. Returns whether it did. Throws as `handlePage` does.
 */
export async function skipUnreceived(
  db: Database<IntegrationsTables>,
  expected: number,
  through: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const { integrations } = await lockExpected(trx, expected);
    if (integrations.length > 0) return false;
    deferPosition(trx, through);
    return true;
  });
}

/**
 * Handles the first events of a range that is handled again. Returns the integrations that have new deliveries, or null
 * if another replica has shortened the range.
 */
export async function handleAgain(
  db: Database<IntegrationsTables>,
  range: IdRange,
  page: LogPage,
): Promise<readonly number[] | null> {
  return db.transaction(async (trx) => {
    const intake = await lockIntake(trx);
    if (!(await shortenMissed(trx, range, page.through))) return null;
    return deliver(trx, await findEnabledIntegrations(trx), page, intake);
  });
}

async function lockExpected(
  trx: Trx,
  expected: number,
): Promise<{ intake: LockedIntake; integrations: EnabledIntegration[] }> {
  const [intake, integrations] = await Promise.all([lockIntake(trx), findEnabledIntegrations(trx)]);
  if (intake.lastEventId === expected) return { intake, integrations };
  throw new Error(`another replica has moved the position, which was ${expected}`);
}

/** Inserts the deliveries. Events up to `prunedEventId` get none, because their deliveries may have been swept. */
async function deliver(
  trx: Trx,
  integrations: readonly EnabledIntegration[],
  { events, traceparents = [] }: LogPage,
  { prunedEventId }: LockedIntake,
): Promise<readonly number[]> {
  const deliverable = events.flatMap((event, index) => {
    const receivers = integrations.filter((integration) => receives(integration, event)).map(({ id }) => id);
    if (receivers.length === 0 || event.id <= prunedEventId) return [];
    const traceparent = plausible(traceparents[index] ?? null);
    return [{ id: event.id, json: JSON.stringify(event), traceparent, orderingKey: orderingKeyOf(event), receivers }];
  });
  return insertDeliveries(trx, deliverable);
}

/** JSON, because Postgres refuses a text with NUL. Only the hash is stored. */
function orderingKeyOf({ featureName }: Event): string | null {
  return featureName === null ? null : JSON.stringify(featureName);
}

/** A trace context becomes a header of a webhook, which may have no other characters. */
function plausible(traceparent: string | null): string | null {
  return traceparent !== null && /^[0-9a-f-]{1,100}$/.test(traceparent) ? traceparent : null;
}
