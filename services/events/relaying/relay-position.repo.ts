import type { StreamPosition } from '@yardarm/shared/bus';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { assignPosition, type Database, hidden, prepared, type RawBuilder, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { eventColumns, toEvent } from '../events/event.ts';

/** The id up to which the log is published on an incarnation of RECORDED, and the stream's last sequence at that id. */
export interface RelayPosition extends StreamPosition {
  lastId: number;
}

export async function findRelayPosition(db: Database<EventsTables>): Promise<RelayPosition> {
  const row = await db.kysely.selectFrom('relay_position').selectAll().executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, lastSequence: row.last_sequence, lastId: row.last_id };
}

/** Moves the position. Returns false, without a write, when the lease is lost (`fence`). */
export async function moveRelayPosition(
  db: Database<EventsTables>,
  fence: RawBuilder<unknown>,
  to: RelayPosition,
): Promise<boolean> {
  const { numAffectedRows } = await prepared('move-relay-position')`
    with fence as (${fence})
    update relay_position
    set ${assignPosition(to)}, last_id = ${to.lastId}, moved_at = now()
    from fence`.execute(db.kysely);
  return numAffectedRows === 1n;
}

/**
 * The id of the last event that is older than `days`. A stream that keeps messages for that long begins after it.
 *
 * It is one statement, so that both parts see the same snapshot. Between two statements the recorder could insert the
 * first events, and the new end of the log would be returned, which skips these events.
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

export async function findAfter(db: Database<EventsTables>, id: number, limit: number): Promise<RecordedEvent[]> {
  const events = db.kysely
    .selectFrom('events')
    .select(relayedColumns)
    .where('id', '>', hidden(sql<number>`${id}::bigint`))
    .orderBy('id')
    .limit(hidden(sql<number>`${limit}::bigint`));
  const { rows } = await prepared('find-events-after', events).execute(db.kysely);
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
