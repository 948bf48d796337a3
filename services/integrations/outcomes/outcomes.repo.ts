import { type Kysely, sql } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredOutcome } from './outcome.ts';

export async function findOutcomeEventId(
  db: Kysely<IntegrationsTables>,
  integrationId: number,
  id: string,
): Promise<number | undefined> {
  // An id with more digits than a bigint matches nothing.
  if (!/^\d{1,18}$/.test(id)) return undefined;
  const row = await db
    .selectFrom('deliveries')
    .select('event_id')
    .where('outcome_id', '=', Number(id))
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  return row?.event_id;
}

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** One page, newest first: ids, and the approximate bytes of each outcome. */
export async function listOutcomeIds(
  db: Kysely<IntegrationsTables>,
  page: Page,
): Promise<{ id: number; size: number }[]> {
  return (await pageStatement(page).execute(db)).rows;
}

/**
 * Positions have no gaps, so a page is a range of them. The statement reads nothing else, whatever the statistics of
 * the table say: a generic plan expects a tenth of the table, so a join with the events would read all of them. A body
 * that equals the event is JSON text within JSON: at most two bytes per character, in addition to the event.
 */
export function pageStatement({ integrationId, limit, offset }: Page) {
  return sql<{ id: number; size: number }>`
    with page as materialized (
      select outcome_id as id, event_id, position, octet_length(details) as size, is_body_event
      from deliveries, (
        select max(position) - ${offset}::bigint as first from deliveries
        where integration_id = ${integrationId} and position is not null) as newest
      where integration_id = ${integrationId} and position <= first and position > first - ${limit}::bigint
    )
    select id, size + case when is_body_event then 3 else 1 end * (
      select octet_length(event) from handled_events where handled_events.id = page.event_id
    ) as size
    from page
    order by position desc`;
}

/** The outcomes with these ids, the newest one first. */
export async function findOutcomes(db: Kysely<IntegrationsTables>, ids: readonly number[]): Promise<StoredOutcome[]> {
  const { rows } = await sql<StoredOutcome>`
    select outcome_id::text as id, integration_id as "integrationId", outcome_created_at as "createdAt", outcome as state,
      state_details as "stateDetails", event, details, is_body_event as "isBodyEvent"
    from deliveries join handled_events on handled_events.id = event_id
    where outcome_id = any (${ids}::bigint[])
    order by outcome_id desc`.execute(db);
  return rows;
}
