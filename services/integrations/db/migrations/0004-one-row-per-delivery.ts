import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * A delivery, its latest attempt and its outcome become one row; `delivery_attempts` holds earlier attempts only. The
 * migration rewrites all rows, so the service must be stopped. It keeps the ids and positions of outcomes, the times
 * and the attempts.
 */
export const oneRowPerDelivery: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table delivery_attempts rename to old_attempts`.execute(db);
    await sql`alter table deliveries rename to old_deliveries`.execute(db);
    await sql`alter table outcomes rename to old_outcomes`.execute(db);
    await sql`
      alter table old_attempts
        drop constraint delivery_attempts_delivery_id_fkey, drop constraint delivery_attempts_pkey`.execute(db);
    await sql`
      alter table old_deliveries
        drop constraint deliveries_pkey, drop constraint deliveries_integration_id_event_id_key,
        drop constraint deliveries_integration_id_fkey, drop constraint deliveries_state_check,
        drop constraint deliveries_claim_check`.execute(db);
    await sql`drop index deliveries_never_tried_idx`.execute(db);

    // A claim changes no indexed column, so it is a HOT update while its page has free space. A claimed row is 1.5
    // times as long as a pending one, a settled row three times.
    await sql`
      create table deliveries (
        integration_id integer not null,
        event_id bigint not null,
        ordering_key integer,
        state text not null default 'pending',
        attempts integer not null default 0,
        scheduled_from integer not null default 0,
        is_redelivery boolean not null default false,
        progress text,
        next_attempt_at timestamptz not null default now(),
        claim uuid,
        claimed_until timestamptz,
        started_at timestamptz,
        duration_ms integer,
        status integer,
        error_code text,
        response_body text,
        outcome_id bigint,
        position bigint,
        outcome text,
        state_details text,
        details text,
        is_body_event boolean not null default false,
        outcome_created_at timestamptz,
        is_unfinished boolean not null generated always as (state in ('pending', 'sending', 'waiting')) stored,
        constraint deliveries_state_check
          check (state in ('pending', 'sending', 'waiting', 'succeeded', 'gave-up', 'cancelled')),
        constraint deliveries_claim_check check ((state = 'sending') = (claim is not null and claimed_until is not null)),
        constraint deliveries_attempt_check check ((started_at is null) = (duration_ms is null)),
        constraint deliveries_outcome_check check (outcome in ('success', 'failed', 'successWithErrors')),
        constraint deliveries_whole_outcome_check
          check (num_nulls(outcome_id, position, outcome, state_details, details, outcome_created_at) in (0, 6))
      ) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01)`.execute(db);
    await sql`
      create table delivery_attempts (
        integration_id integer not null,
        event_id bigint not null,
        number integer not null,
        started_at timestamptz not null,
        duration_ms integer not null,
        status integer,
        error_code text,
        response_body text
      )`.execute(db);
    await sql`create sequence deliveries_outcome_id_seq owned by deliveries.outcome_id`.execute(db);
    await sql`select setval('deliveries_outcome_id_seq', last_value, is_called) from outcomes_id_seq`.execute(db);

    // Such an outcome belongs to a deleted integration that is half swept, or its delivery was deleted by hand.
    await sql`
      insert into deliveries (
        integration_id, event_id, ordering_key, state, attempts, scheduled_from, is_redelivery, progress, next_attempt_at,
        claim, claimed_until, started_at, duration_ms, status, error_code, response_body,
        outcome_id, position, outcome, state_details, details, outcome_created_at)
      select coalesce(d.integration_id, o.integration_id), coalesce(d.event_id, o.event_id), d.ordering_key,
        coalesce(d.state, case when o.state = 'success' then 'succeeded' else 'gave-up' end),
        coalesce(d.attempts, 0), coalesce(d.scheduled_from, 0), coalesce(d.is_redelivery, false), d.progress,
        coalesce(d.next_attempt_at, o.created_at), d.claim, d.claimed_until,
        a.started_at, a.duration_ms, a.status, a.error_code, a.response_body,
        o.id, o.position, o.state, o.state_details, o.details, o.created_at
      from old_deliveries d
        full join old_outcomes o on o.id = d.outcome_id
        left join old_attempts a on a.delivery_id = d.id and a.number = d.attempts
      where d.id is not null or not exists (
        select 1 from old_deliveries other
        where other.integration_id = o.integration_id and other.event_id = o.event_id)
      order by 1, 2`.execute(db);
    await sql`
      insert into delivery_attempts
      select d.integration_id, d.event_id, number, started_at, duration_ms, status, error_code, response_body
      from old_attempts a join old_deliveries d on d.id = a.delivery_id
      where number <> d.attempts`.execute(db);
    await sql`drop table old_attempts, old_deliveries, old_outcomes`.execute(db);

    await sql`
      alter table deliveries
        add constraint deliveries_pkey primary key (integration_id, event_id),
        add constraint deliveries_integration_id_fkey foreign key (integration_id) references integrations on delete cascade`.execute(
      db,
    );
    await sql`
      alter table delivery_attempts
        add constraint delivery_attempts_pkey primary key (integration_id, event_id, number),
        add constraint delivery_attempts_delivery_fkey
          foreign key (integration_id, event_id) references deliveries on delete cascade`.execute(db);
    await sql`
      create unique index deliveries_outcome_id_idx on deliveries (outcome_id) where outcome_id is not null`.execute(
      db,
    );
    await sql`
      create unique index deliveries_position_idx on deliveries (integration_id, position)
      where position is not null`.execute(db);
    // Both cover unfinished deliveries only and stay small: untried ones by event, retries by time.
    await sql`
      create index deliveries_untried_idx on deliveries (integration_id, event_id)
      where is_unfinished and outcome_id is null`.execute(db);
    await sql`
      create index deliveries_retry_idx on deliveries (integration_id, next_attempt_at, event_id)
      where is_unfinished and outcome_id is not null`.execute(db);
    await sql`
      create index deliveries_never_tried_idx on deliveries (event_id)
      where not is_unfinished and outcome_id is null`.execute(db);
    await sql`alter table integrations drop column outcome_count`.execute(db);
    await sql`analyze deliveries, delivery_attempts`.execute(db);
  },
};
