import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

type Trx = Transaction<IntegrationsTables>;

/** The limit of rows to read, oldest first, and the age in days from which they are deleted. */
export interface Batch {
  days: number;
  limit: number;
}

/** Every integration, including deleted ones, oldest first. */
export async function findSweepTargets(db: Kysely<IntegrationsTables>): Promise<{ id: number; isDeleted: boolean }[]> {
  const { rows } = await sql<{ id: number; isDeleted: boolean }>`
    select id, deleted_at is not null as "isDeleted" from integrations order by id`.execute(db);
  return rows;
}

/** Cancels deliveries that the intake inserted while the integration was disabled. Nothing else would end them. */
export async function cancelPendingOfDisabled(trx: Trx, id: number): Promise<void> {
  await sql`
    update deliveries set state = 'cancelled'
    where integration_id = ${id} and is_unfinished and outcome_id is null and state = 'pending'
      and exists (select 1 from integrations where id = ${id} and not enabled)`.execute(trx);
}

/**
 * Deletes the oldest deliveries of a locked integration that have an outcome, with their attempts, up to the first one
 * that is young or unfinished. So the remaining positions have no gaps. Returns how many.
 */
export async function deleteOldDeliveries(trx: Trx, integrationId: number, { days, limit }: Batch): Promise<number> {
  const { rows } = await sql<{ count: number; newest: number | null }>`
    with oldest as (
      select event_id, position, outcome_created_at, is_unfinished from deliveries
      where integration_id = ${integrationId} and position is not null order by position limit ${limit}
    ), kept as (
      select min(position) as position from oldest
      where outcome_created_at >= now() - ${days} * interval '1 day' or is_unfinished
    ), gone as (
      delete from deliveries d using oldest, kept
      where d.integration_id = ${integrationId} and d.event_id = oldest.event_id
        and (kept.position is null or oldest.position < kept.position)
      returning d.event_id
    )
    select count(*) as count, max(event_id) as newest from gone`.execute(trx);
  const { count, newest } = rows[0]!;
  if (newest !== null) await updatePrunedEventId(trx, newest);
  return count;
}

/** Deletes the oldest deliveries that were cancelled without an outcome and are not locked. Returns how many. */
export async function deleteUntriedDeliveries(trx: Trx, { days, limit }: Batch): Promise<number> {
  const { rows } = await sql<{ count: number; newest: number | null }>`
    with oldest as (
      select integration_id, event_id from deliveries
      where not is_unfinished and outcome_id is null order by event_id limit ${limit}
    ), old as (
      select d.integration_id, d.event_id
      from oldest join deliveries d using (integration_id, event_id) join handled_events on handled_events.id = event_id
      where handled_at < now() - ${days} * interval '1 day' and not d.is_unfinished and d.outcome_id is null
      for update of d skip locked
    ), gone as (
      delete from deliveries d using old where d.integration_id = old.integration_id and d.event_id = old.event_id
      returning d.event_id
    )
    select count(*) as count, max(event_id) as newest from gone`.execute(trx);
  const { count, newest } = rows[0]!;
  if (newest !== null) await updatePrunedEventId(trx, newest);
  return count;
}

/**
 * Deletes those of the next `limit` events after `after` that are old and have no delivery. The caller locks the
 * intake, so that no delivery is inserted meanwhile. Returns the last of them; null if no further events are old.
 */
export async function deleteOldEvents(trx: Trx, after: number, { days, limit }: Batch): Promise<number | null> {
  const { rows } = await sql<{ last: number | null; count: number }>`
    with old as (
      select id from (select id, handled_at from handled_events where id > ${after} order by id limit ${limit}) as next
      where handled_at < now() - ${days} * interval '1 day'
    ), gone as (
      delete from handled_events using old where handled_events.id = old.id and not exists (
        select 1 from integrations i join deliveries d on d.integration_id = i.id and d.event_id = old.id))
    select max(id) as last, count(*) as count from old`.execute(trx);
  const { last, count } = rows[0]!;
  return count < limit ? null : last;
}

/** Deletes a batch of the deliveries of a deleted integration. Returns how many. */
export async function deleteDeliveriesOf(trx: Trx, integrationId: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from deliveries where integration_id = ${integrationId} and event_id in (
      select event_id from deliveries where integration_id = ${integrationId} limit ${limit})`.execute(trx);
  return Number(numAffectedRows);
}

export async function deleteIntegrationRow(trx: Trx, id: number): Promise<void> {
  await sql`delete from integrations where id = ${id} and deleted_at is not null`.execute(trx);
}

async function updatePrunedEventId(trx: Trx, eventId: number): Promise<void> {
  await sql`update intake set pruned_event_id = greatest(pruned_event_id, ${eventId})`.execute(trx);
}
