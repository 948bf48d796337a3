import type { IntegrationEvent } from '@yardarm/shared/contracts/integrations';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

export interface NewOutcome {
  state: IntegrationEvent['state'];
  stateDetails: string;
  details: Record<string, unknown>;
}

/** Makes the outcomes of a locked integration's deliveries, at the next positions in this order; returns their ids by event. */
export async function insertOutcomes(
  trx: Transaction<IntegrationsTables>,
  integrationId: number,
  outcomes: readonly { eventId: number; outcome: NewOutcome }[],
): Promise<Map<number, number>> {
  if (outcomes.length === 0) return new Map();
  const { rows } = await sql<{ id: number; event_id: number }>`
    with counter as (
      update integrations set outcome_count = outcome_count + ${outcomes.length} where id = ${integrationId}
      returning outcome_count - ${outcomes.length} as last
    )
    insert into outcomes (integration_id, position, event_id, state, state_details, details)
    select ${integrationId}, last + n, event_id, state, state_details, details
    from counter, unnest(
      ${outcomes.map(({ eventId }) => eventId)}::bigint[], ${outcomes.map(({ outcome }) => outcome.state)}::text[],
      ${outcomes.map(({ outcome }) => outcome.stateDetails)}::text[],
      ${outcomes.map(({ outcome }) => JSON.stringify(outcome.details))}::text[]
    ) with ordinality as t (event_id, state, state_details, details, n)
    order by n
    returning id, event_id`.execute(trx);
  return new Map(rows.map(({ id, event_id }) => [event_id, id]));
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

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** One page, newest first: the ids, and how many bytes each will about be. */
export async function findPage(db: Kysely<IntegrationsTables>, page: Page): Promise<{ id: number; size: number }[]> {
  return (await pageStatement(page).execute(db)).rows;
}

/** Positions have no gap, so a page is a range of them; nothing else is read, whatever the planner believes of the table. */
export function pageStatement({ integrationId, limit, offset }: Page) {
  return sql<{ id: number; size: number }>`
    with page as materialized (
      select o.id, event_id, position, octet_length(details) as size
      from integrations i join outcomes o on o.integration_id = i.id
        and position <= outcome_count - ${offset}::bigint and position > outcome_count - ${offset}::bigint - ${limit}
      where i.id = ${integrationId}
    )
    select page.id, size + (select octet_length(event) from handled_events where handled_events.id = page.event_id) as size
    from page order by position desc`;
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
