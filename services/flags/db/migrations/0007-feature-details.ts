import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * `version` counts the changes of a flag. `potentially_stale_since` is the time at which the event was emitted, so that
 * it is emitted once. `feature_last_seen` has its own rows, because reports of usage must not update rows that changes
 * lock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table features
      add version bigint not null default 0,
      add potentially_stale_since timestamptz`.execute(db);
  await sql`alter table feature_environments add variants json not null default '[]'`.execute(db);
  await sql`
    alter table feature_lifecycle
      add status text,
      add status_value text`.execute(db);
  await sql`
    create table feature_last_seen (
      feature_name text collate "C" not null,
      environment text not null,
      last_seen_at timestamptz not null,
      constraint feature_last_seen_pkey primary key (feature_name, environment),
      constraint feature_last_seen_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`
    create table feature_dependencies (
      child text collate "C" not null,
      parent text collate "C" not null,
      enabled boolean not null default true,
      variants json not null default '[]',
      constraint feature_dependencies_pkey primary key (child, parent),
      constraint feature_dependencies_child_fkey foreign key (child) references features (name) on update cascade on delete cascade,
      constraint feature_dependencies_parent_fkey foreign key (parent) references features (name) on update cascade
    )`.execute(db);
  await sql`create index feature_dependencies_parent_idx on feature_dependencies (parent)`.execute(db);
  await sql`
    create table feature_favorites (
      user_id bigint not null,
      feature_name text collate "C" not null,
      constraint feature_favorites_pkey primary key (user_id, feature_name),
      constraint feature_favorites_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`create index feature_favorites_feature_idx on feature_favorites (feature_name)`.execute(db);
  await sql`
    create table feature_links (
      id uuid not null default gen_random_uuid(),
      feature_name text collate "C" not null,
      url text not null,
      title text,
      created_at timestamptz not null default clock_timestamp(),
      constraint feature_links_pkey primary key (id),
      constraint feature_links_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`create index feature_links_feature_idx on feature_links (feature_name)`.execute(db);
  await sql`
    create table usage_batches (
      batch_id uuid not null,
      received_at timestamptz not null default clock_timestamp(),
      constraint usage_batches_pkey primary key (batch_id)
    )`.execute(db);
  await sql`create index usage_batches_received_idx on usage_batches (received_at)`.execute(db);
  await sql`
    create table import_parts (
      upload_id uuid not null,
      part integer not null,
      content text not null,
      created_at timestamptz not null default now(),
      constraint import_parts_pkey primary key (upload_id, part)
    )`.execute(db);
  await sql`create index import_parts_created_idx on import_parts (created_at)`.execute(db);
  await sql`
    insert into feature_types (id, name, description, lifetime_days, sort_order)
    values ('sunset', 'Sunset', 'Removes a part of the product step by step.', 90, 6)`.execute(db);
}
