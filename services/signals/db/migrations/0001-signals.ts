import { createLeaseTables, createOutboxTables, type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** Endpoints, their tokens and admissions, and the signals themselves. */
export const signalsTables: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table signal_endpoints (
        id integer generated always as identity constraint signal_endpoints_pkey primary key,
        name text not null constraint signal_endpoints_name_key unique,
        enabled boolean not null,
        description text,
        created_at timestamptz not null default now(),
        created_by_user_id integer not null
      )`.execute(db);
    await sql`
      create table signal_endpoint_tokens (
        id integer generated always as identity constraint signal_endpoint_tokens_pkey primary key,
        endpoint_id integer not null
          constraint signal_endpoint_tokens_endpoint_id_fkey references signal_endpoints on delete cascade,
        name text not null,
        selector text not null constraint signal_endpoint_tokens_selector_key unique,
        hash text not null,
        created_at timestamptz not null default now(),
        created_by_user_id integer not null,
        constraint signal_endpoint_tokens_endpoint_id_name_key unique (endpoint_id, name)
      )`.execute(db);
    // Room on each page for the next version of its rows: an admission then changes no index.
    await sql`
      create table admissions (
        endpoint_id integer constraint admissions_pkey primary key
          constraint admissions_endpoint_id_fkey references signal_endpoints on delete cascade,
        recent timestamptz[] not null default '{}'
      ) with (fillfactor = 50)`.execute(db);
    // Drawn at admission and not at insert, so that the sender hears the id before the signal is stored.
    await sql`create sequence signal_ids as bigint`.execute(db);
    // No foreign keys: what was accepted is stored even if its endpoint is deleted on the way.
    // Text and not jsonb: jsonb refuses \u0000, json overflows its parser's stack on deep nesting, and both would lose a signal.
    await sql`
      create table signals (
        id bigint constraint signals_pkey primary key,
        endpoint_id integer not null,
        token_id integer not null,
        payload text not null,
        created_at timestamptz not null,
        stored_at timestamptz not null default now()
      )`.execute(db);
    await sql`create index signals_endpoint_id_id_idx on signals (endpoint_id, id desc)`.execute(db);
    await sql`
      create table signals_set_aside (
        sequence bigint not null,
        published_at timestamptz not null,
        subject text not null,
        payload text not null,
        reason text not null,
        set_aside_at timestamptz not null default now(),
        constraint signals_set_aside_pkey primary key (sequence, published_at)
      )`.execute(db);
    await createOutboxTables(db);
    await createLeaseTables(db);
  },
};
