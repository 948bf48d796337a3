import { createLeaseTables, createOutboxTables, type Kysely, type Migration, sql } from '@yardarm/shared/db';

export const integrationsTables: Migration = {
  async up(db: Kysely<unknown>) {
    // Free space on each page for the next version of its rows, so that an update of the counter touches no index.
    await sql`
      create table integrations (
        id integer generated always as identity constraint integrations_pkey primary key,
        provider text not null,
        description text,
        enabled boolean not null,
        parameters text not null,
        events text[] not null,
        projects text[] not null,
        environments text[] not null,
        from_event_id bigint not null,
        version integer not null default 1,
        outcome_count bigint not null default 0
      ) with (fillfactor = 50)`.execute(db);
    // Text instead of jsonb: jsonb refuses \u0000 and reorders keys, and the body must not change between attempts.
    await sql`
      create table handled_events (
        id bigint constraint handled_events_pkey primary key,
        event text not null,
        traceparent text
      )`.execute(db);
    await sql`
      create table deliveries (
        id bigint generated always as identity constraint deliveries_pkey primary key,
        integration_id integer not null
          constraint deliveries_integration_id_fkey references integrations on delete cascade,
        event_id bigint not null,
        ordering_key integer,
        state text not null default 'pending',
        attempts integer not null default 0,
        next_attempt_at timestamptz not null default now(),
        claim uuid,
        claimed_until timestamptz,
        outcome_id bigint,
        constraint deliveries_state_check
          check (state in ('pending', 'sending', 'waiting', 'succeeded', 'gave-up', 'cancelled')),
        constraint deliveries_claim_check check ((state = 'sending') = (claim is not null and claimed_until is not null)),
        constraint deliveries_integration_id_event_id_key unique (integration_id, event_id)
      ) with (autovacuum_vacuum_scale_factor = 0.01)`.execute(db);
    // One index for each query of the workers. It covers unfinished deliveries only and stays small.
    await sql`
      create index deliveries_due_idx on deliveries (integration_id, next_attempt_at, event_id)
      where state in ('pending', 'waiting')`.execute(db);
    await sql`
      create index deliveries_sending_idx on deliveries (integration_id, claimed_until)
      where state = 'sending'`.execute(db);
    await sql`
      create index deliveries_untried_idx on deliveries (integration_id, ordering_key, event_id)
      where state in ('pending', 'sending') and outcome_id is null`.execute(db);
    await sql`
      create table delivery_attempts (
        delivery_id bigint not null
          constraint delivery_attempts_delivery_id_fkey references deliveries on delete cascade,
        number integer not null,
        started_at timestamptz not null,
        duration_ms integer not null,
        status integer,
        error_code text,
        response_body text,
        constraint delivery_attempts_pkey primary key (delivery_id, number)
      )`.execute(db);
    await sql`
      create table outcomes (
        id bigint generated always as identity constraint outcomes_pkey primary key,
        integration_id integer not null
          constraint outcomes_integration_id_fkey references integrations on delete cascade,
        position bigint not null,
        event_id bigint not null,
        state text not null,
        state_details text not null,
        details text not null,
        created_at timestamptz not null default now(),
        constraint outcomes_state_check check (state in ('success', 'failed', 'successWithErrors')),
        constraint outcomes_integration_id_position_key unique (integration_id, position)
      )`.execute(db);
    await sql`
      create table intake (
        one boolean not null default true constraint intake_pkey primary key,
        incarnation text,
        last_sequence bigint not null default 0,
        constraint intake_one_row_check check (one)
      )`.execute(db);
    await sql`insert into intake default values`.execute(db);
    await createOutboxTables(db);
    await createLeaseTables(db);
  },
};
