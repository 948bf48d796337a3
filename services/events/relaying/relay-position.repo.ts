import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { type Database, type RawBuilder, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { eventColumns, toEvent } from '../events/event.ts';

/** Up to which id of the log one incarnation of RECORDED is published, and the sequence that the stream had then. */
export interface RelayPosition {
  incarnation: string | null;
  lastSequence: number;
  lastId: number;
}

/** The position as last committed. */
export async function findRelayPosition(db: Database<EventsTables>): Promise<RelayPosition> {
  const row = await db.kysely.selectFrom('relay_position').selectAll().executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, lastSequence: row.last_sequence, lastId: row.last_id };
}

/** Moves the position, unless the lease has been lost (`fence`): then it answers false. */
export async function moveRelayPosition(
  db: Database<EventsTables>,
  fence: RawBuilder<unknown>,
  to: RelayPosition,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with held as (${fence})
    update relay_position
    set incarnation = ${to.incarnation}, last_sequence = ${to.lastSequence}, last_id = ${to.lastId}, moved_at = now()
    from held`.execute(db.kysely);
  return numAffectedRows === 1n;
}

/**
 * The id after which a stream that keeps this many days begins: that of the last event recorded before.
 *
 * One statement, so that both halves see the same moment: between two, the recorder may put the first events into the log, and the
 * end of the log would be taken for a beginning that has them behind it.
 */
export async function findLastIdBefore(db: Database<EventsTables>, days: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(
      (select min(id) - 1 from events where recorded_at > now() - make_interval(days => ${days})),
      (select last_id from recorder_position)
    ) as id`.execute(db.kysely);
  return rows[0]!.id;
}

const relayedColumns = [
  ...eventColumns,
  ...(['event_id', 'version', 'source', 'created_by_username', 'request_id', 'traceparent'] as const),
] as const;

/** The events of the log after this id, in order, as RECORDED carries them. */
export async function findAfter(db: Database<EventsTables>, id: number, limit: number): Promise<RecordedEvent[]> {
  const rows = await db.kysely
    .selectFrom('events')
    .select(relayedColumns)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...toEvent(row),
    eventId: row.event_id,
    version: row.version as RecordedEvent['version'],
    source: row.source as RecordedEvent['source'],
    createdByUsername: row.created_by_username,
    requestId: row.request_id,
    traceparent: row.traceparent,
  }));
}
