import { sql, type Transaction } from '@yardarm/shared/db';
import { analyse, openAsOwner } from './databases.repo.ts';

/** A second of a statement's ten on a fast machine. */
const copiesAtOnce = 100_000;

/**
 * Copies the rows of an integration's only outcome `copies` times, each with an event and a delivery of its own, as so many deliveries
 * would have left them. Whole rows are copied whatever columns they have; only ids and positions differ.
 */
export async function copyFirstOutcome(databaseUrl: string, integrationId: number, copies: number): Promise<void> {
  const db = openAsOwner(databaseUrl, 'integrations');
  await db.transaction(async (trx) => {
    const { rows } = await sql<{ id: number }>`select id from outcomes where integration_id = ${integrationId}`.execute(
      trx,
    );
    const original = rows[0]!.id;
    for (let first = 1; first <= copies; first += copiesAtOnce) {
      await copyOnce(trx, original, first, Math.min(copies, first + copiesAtOnce - 1));
    }
    await sql`update integrations set outcome_count = outcome_count + ${copies} where id = ${integrationId}`.execute(
      trx,
    );
    for (const table of ['deliveries', 'outcomes']) {
      await sql`
        select setval(pg_get_serial_sequence(${table}, 'id'), (select max(id) from ${sql.table(table)}))`.execute(trx);
    }
  });
  await db.close();
  await analyse(databaseUrl, 'integrations');
}

/** Makes the copies from `first` to `last` of the outcome with the id `original`. */
async function copyOnce(
  trx: Transaction<Record<string, never>>,
  original: number,
  first: number,
  last: number,
): Promise<void> {
  const numbers = sql`generate_series(${first}::int, ${last}::int) n`;
  await sql`
    insert into handled_events
    select copy.* from outcomes o join handled_events e on e.id = o.event_id, ${numbers},
      lateral json_populate_record(e, json_build_object('id', e.id + n)) copy
    where o.id = ${original}`.execute(trx);
  await sql`
    insert into deliveries overriding system value
    select copy.* from outcomes o join deliveries d on d.outcome_id = o.id, ${numbers},
      lateral json_populate_record(d, json_build_object(
        'id', d.id + n, 'event_id', d.event_id + n, 'outcome_id', o.id + n)) copy
    where o.id = ${original}`.execute(trx);
  await sql`
    insert into outcomes overriding system value
    select copy.* from outcomes o, ${numbers},
      lateral json_populate_record(o, json_build_object(
        'id', o.id + n, 'event_id', o.event_id + n, 'position', o.position + n)) copy
    where o.id = ${original}`.execute(trx);
}
