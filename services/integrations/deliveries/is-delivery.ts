import { type RawBuilder, sql } from '@yardarm/shared/db';

/**
 * The condition that joins `deliveries`, under the alias `delivery`, with the events of an integration that a CTE
 * names. The array makes Postgres look each of them up by the whole key. Without statistics it would otherwise read
 * all deliveries of the integration for each event.
 */
export function isDelivery(delivery: string, integrationId: number, cte: string): RawBuilder<boolean> {
  const eventId = sql.ref(`${delivery}.event_id`);
  return sql`
    ${sql.ref(`${delivery}.integration_id`)} = ${integrationId}
      and ${eventId} = any(array(select event_id from ${sql.table(cte)})) and ${eventId} = ${sql.ref(`${cte}.event_id`)}`;
}
