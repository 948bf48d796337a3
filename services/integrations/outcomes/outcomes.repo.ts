import type { IntegrationEvent } from '@yardarm/shared/contracts/integrations';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

export interface NewOutcome {
  state: IntegrationEvent['state'];
  stateDetails: string;
  details: Record<string, unknown>;
}

/** Makes the outcome of a locked integration's delivery, at the next position; returns its id. */
export async function insertOutcome(
  trx: Transaction<IntegrationsTables>,
  { integrationId, eventId }: { integrationId: number; eventId: number },
  outcome: NewOutcome,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with counter as (
      update integrations set outcome_count = outcome_count + 1 where id = ${integrationId} returning outcome_count
    )
    insert into outcomes (integration_id, position, event_id, state, state_details, details)
    select ${integrationId}, outcome_count, ${eventId}, ${outcome.state}, ${outcome.stateDetails},
      ${JSON.stringify(outcome.details)}
    from counter
    returning id`.execute(trx);
  return rows[0]!.id;
}

/** Writes what a later attempt came to; id and time stay those of the first. A success stays one. */
export async function updateOutcome(
  trx: Transaction<IntegrationsTables>,
  id: number,
  outcome: NewOutcome,
): Promise<void> {
  await trx
    .updateTable('outcomes')
    .set({ state: outcome.state, state_details: outcome.stateDetails, details: JSON.stringify(outcome.details) })
    .where('id', '=', id)
    .where('state', '<>', 'success')
    .execute();
}

/** The event that an outcome of the integration is of. */
export async function findOutcomeEvent(
  db: Kysely<IntegrationsTables>,
  integrationId: number,
  id: string,
): Promise<number | undefined> {
  // An id of more digits than a bigint has names none.
  if (!/^\d{1,18}$/.test(id)) return undefined;
  const row = await db
    .selectFrom('outcomes')
    .select('event_id')
    .where('id', '=', Number(id))
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  return row?.event_id;
}

/** One page, newest first: the ids, and how many bytes each will about be. Positions have no gap, so the offset is a place in the index. */
export async function findPage(
  db: Kysely<IntegrationsTables>,
  { integrationId, limit, offset }: { integrationId: number; limit: number; offset: number },
): Promise<{ id: number; size: number }[]> {
  const { rows } = await sql<{ id: number; size: number }>`
    select outcomes.id, octet_length(event) + octet_length(details) as size
    from outcomes join handled_events on handled_events.id = outcomes.event_id
    where integration_id = ${integrationId}
      and position <= (select outcome_count from integrations where id = ${integrationId}) - ${offset}::bigint
    order by position desc
    limit ${limit}`.execute(db);
  return rows;
}

/** Outcomes by their ids, newest first. */
export async function findOutcomes(db: Kysely<IntegrationsTables>, ids: number[]): Promise<IntegrationEvent[]> {
  const rows = await db
    .selectFrom('outcomes')
    .innerJoin('handled_events', 'handled_events.id', 'outcomes.event_id')
    .select(['outcomes.id', 'integration_id', 'created_at', 'state', 'state_details', 'details', 'event'])
    .where('outcomes.id', 'in', ids)
    .orderBy('outcomes.id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: String(row.id),
    integrationId: row.integration_id,
    createdAt: row.created_at.toISOString(),
    state: row.state,
    stateDetails: row.state_details,
    event: JSON.parse(row.event),
    details: JSON.parse(row.details),
  }));
}
