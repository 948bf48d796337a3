import { sql, type Transaction } from '@yardarm/shared/db';
import { analyse, openAsOwner } from './databases.repo.ts';

/** A statement takes one second on a fast machine; the limit is ten seconds. */
const copiesPerStatement = 100_000;

/**
 * Copies the rows of an integration's only delivery `copies` times, each with its own event, as that many deliveries
 * would leave them. All columns are copied; only ids and positions differ.
 */
export async function copyFirstOutcome(databaseUrl: string, integrationId: number, copies: number): Promise<void> {
  const db = openAsOwner(databaseUrl, 'integrations');
  await db.transaction(async (trx) => {
    for (let first = 1; first <= copies; first += copiesPerStatement) {
      await copyRange(trx, integrationId, first, Math.min(copies, first + copiesPerStatement - 1));
    }
    await sql`select setval('deliveries_outcome_id_seq', (select max(outcome_id) from deliveries))`.execute(trx);
  });
  await db.close();
  await analyse(databaseUrl, 'integrations');
}

async function copyRange(
  trx: Transaction<Record<string, never>>,
  integrationId: number,
  first: number,
  last: number,
): Promise<void> {
  const numbers = sql`generate_series(${first}::int, ${last}::int) n`;
  await sql`
    insert into handled_events
    select copy.* from deliveries d join handled_events e on e.id = d.event_id, ${numbers},
      lateral json_populate_record(e, json_build_object('id', e.id + n)) copy
    where d.integration_id = ${integrationId} and d.position = 1`.execute(trx);
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = 'deliveries'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(trx);
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
  await sql`
    insert into deliveries (${columns})
    select ${columns} from (
      select copy.* from deliveries d, ${numbers},
        lateral json_populate_record(d, json_build_object(
          'event_id', d.event_id + n, 'outcome_id', d.outcome_id + n, 'position', d.position + n)) copy
      where d.integration_id = ${integrationId} and d.position = 1) as copies`.execute(trx);
}
