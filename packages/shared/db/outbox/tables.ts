import { type Kysely, sql } from 'kysely';

/**
 * After a restore: the relay publishes all kept rows again, as in a new stream. EVENTS may have lost the messages of
 * some, and consumers may have handled others after the backup.
 */
export async function publishOutboxAgain<T>(db: Kysely<T>): Promise<void> {
  // The name of no stream: until the relay has noticed, callers that wait for the outbox go on waiting.
  await sql`update outbox_stream set incarnation = 'restored'`.execute(db);
}

/**
 * Creates the outbox of a service, in one of its migrations. The relay also needs createLeaseTables and
 * createRestoresTable.
 *
 * outbox         The relay sets `source_sequence` when it first reads a row, `published_at` when the stream has
 *                acknowledged it. Published rows are kept for days, so that a stream can be rebuilt.
 * outbox_stream  One row for the whole outbox.
 */
export async function createOutboxTables<T>(db: Kysely<T>): Promise<void> {
  // payload is text, because json and jsonb refuse some values that a user may send (\\u0000, deep nesting), and
  // reorder or reparse a value that is only passed on. created_at is clock_timestamp() and not now(), so that under a
  // flag's row lock the later event has the later time, however long its transaction waited.
  await sql`
    create table outbox (
      id bigint generated always as identity,
      event_id uuid not null,
      type text not null,
      ordering_key text not null,
      payload text not null,
      traceparent text,
      created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
      source_sequence bigint,
      published_at timestamptz,
      constraint outbox_pkey primary key (id),
      constraint outbox_event_id_key unique (event_id)
    ) with (autovacuum_vacuum_scale_factor = 0.01)`.execute(db);
  // source_sequence has no index, so that setting it touches no index (a heap-only update).
  // The relay reads unpublished rows several times a second. This index stays small however many rows are kept.
  await sql`create index outbox_unpublished_idx on outbox (id) where published_at is null`.execute(db);
  await sql`
    create table outbox_stream (
      id integer not null default 1,
      last_source_sequence bigint not null default 0,
      incarnation text,
      constraint outbox_stream_pkey primary key (id),
      constraint outbox_stream_one_row_check check (id = 1)
    )`.execute(db);
  await sql`insert into outbox_stream default values`.execute(db);
}
