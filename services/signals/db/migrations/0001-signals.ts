import { createLeaseTables, createOutboxTables, type Kysely, type Migration, sql } from '@yardarm/shared/db';

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
    // The fillfactor leaves space on each page for the next version of its rows. An admission then changes no index.
    await sql`
      create table admissions (
        endpoint_id integer constraint admissions_pkey primary key
          constraint admissions_endpoint_id_fkey references signal_endpoints on delete cascade,
        recent timestamptz[] not null default '{}'
      ) with (fillfactor = 50)`.execute(db);
    // The id is drawn at admission, because the sender gets it before the signal is stored.
    await sql`create sequence signal_ids as bigint`.execute(db);
    // No foreign keys: an accepted signal is stored even if its endpoint was deleted meanwhile. The payload is text:
    // jsonb refuses \u0000, and json overflows its parser's stack on deep nesting. Both would lose a signal.
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
