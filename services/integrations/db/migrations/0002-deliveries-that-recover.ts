import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * Adds encrypted parameters, pauses, progress, redelivery and retention. Code of the release before runs against the
 * new schema, except for parameters that are already encrypted: it cannot read them and leaves those integrations to
 * the other replicas.
 */
export const deliveriesThatRecover: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      alter table integrations
        add column parameters_key text,
        add column failures integer not null default 0,
        add column failing_since timestamptz,
        add column paused_until timestamptz,
        add column filtered_since_event_id bigint not null default 0,
        add column deleted_at timestamptz`.execute(db);
    await sql`
      create table encryption (
        one boolean not null default true constraint encryption_pkey primary key,
        key_id text,
        constraint encryption_one_row_check check (one)
      )`.execute(db);
    await sql`insert into encryption default values`.execute(db);
    await sql`alter table handled_events add column handled_at timestamptz not null default now()`.execute(db);
    await sql`
      alter table deliveries
        add column scheduled_from integer not null default 0,
        add column is_redelivery boolean not null default false,
        add column progress text`.execute(db);
    // The retention finds deliveries that were cancelled before their first attempt here: they have no outcome.
    await sql`
      create index deliveries_never_tried_idx on deliveries (event_id)
      where state = 'cancelled' and outcome_id is null`.execute(db);
    await sql`
      alter table intake
        add column last_event_id bigint not null default 0,
        add column pruned_event_id bigint not null default 0`.execute(db);
  },
};
