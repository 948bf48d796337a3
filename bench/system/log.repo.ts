import { sql, type Transaction } from '@yardarm/shared/db';
import { openAsOwner } from './databases.repo.ts';

type Tables = Record<string, never>;

/** A statement with this many rows takes at most half a second; the limit is ten seconds, on a busy machine too. */
const rowsPerStatement = 1_000;

/**
 * Fills the log up to `count` events with copies of its own, including the tables beside it, and moves the positions of
 * recorder and relay to the end. The chain of hashes ends where the copies begin. The recorder starts a new chain after
 * them.
 *
 * The transaction ends the recorder's lease, so that the next leader reads the new positions.
 */
export async function copyEvents(databaseUrl: string, count: number): Promise<void> {
  const db = openAsOwner(databaseUrl, 'events');
  await db.transaction(async (trx) => {
    await sql`update lease set epoch = epoch + 1, expires_at = now() where name = 'recorder'`.execute(trx);
    // The text index merges 3,000 events at once, at a fraction of the cost of a few hundred.
    await sql`set local gin_pending_list_limit = '16MB'`.execute(trx);
    await sql`set local work_mem = '32MB'`.execute(trx);
    const { rows } = await sql<{ last_id: number }>`select last_id from recorder_position for update`.execute(trx);
    const originals = rows[0]!.last_id;
    for (let lastId = originals; lastId < count; ) {
      const from = lastId % originals;
      const copied = Math.min(rowsPerStatement, originals - from, count - lastId);
      await copyRows(trx, { from, copied, distance: lastId - from });
      lastId += copied;
    }
    if (originals < count) await recount(trx);
    await sql`update recorder_position set last_id = greatest(last_id, ${count})`.execute(trx);
  });
  await db.close();
}

/** Copies the `copied` events after the id `from` to ids that are higher by `distance`, with all columns. */
async function copyRows(
  trx: Transaction<Tables>,
  { from, copied, distance }: { from: number; copied: number; distance: number },
): Promise<void> {
  await sql`
    with copies as (
      insert into events
      select copy.* from events e, lateral json_populate_record(e, json_build_object(
        'id', e.id + ${distance}::bigint, 'event_id', gen_random_uuid(), 'hash', null)) copy
      where e.id > ${from} and e.id <= ${from + copied}
      returning event_id
    )
    insert into recorded_ids (event_id) select event_id from copies`.execute(trx);
}

async function recount(trx: Transaction<Tables>): Promise<void> {
  const namesOf = { total: sql`''`, type: sql`type`, project: sql`project`, feature: sql`feature_name` };
  for (const [kind, name] of Object.entries(namesOf)) {
    await sql`
      insert into event_counters
      select ${kind}, ${name}, count(*) from events where ${name} is not null group by 1, 2
      on conflict on constraint event_counters_pkey do update set total = excluded.total`.execute(trx);
  }
}

/** The intake of integrations. */
export interface Intake {
  /** The last event that it has read. */
  position(): Promise<number>;
  close(): Promise<void>;
}

export function openIntake(databaseUrl: string): Intake {
  const db = openAsOwner(databaseUrl, 'integrations');
  return {
    async position() {
      return (await sql<{ id: number }>`select last_event_id as id from intake`.execute(db.kysely)).rows[0]!.id;
    },
    close: () => db.close(),
  };
}
