import { createInboxTables, createLeaseTables, createOutboxTables, type Kysely, sql } from '@yardarm/shared/db';

/**
 * Flag names collate by code point. Listings are sorted by name and clients compare them byte by byte, so the order
 * must not depend on the locale of the Postgres server.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table epoch (
      only_row boolean not null default true,
      epoch uuid not null default gen_random_uuid(),
      constraint epoch_pkey primary key (only_row),
      constraint epoch_one_row check (only_row)
    )`.execute(db);
  await sql`
    create table projects (
      id text not null,
      name text not null,
      description text,
      created_at timestamptz not null default now(),
      constraint projects_pkey primary key (id)
    )`.execute(db);
  await sql`
    create table environments (
      name text not null,
      type text not null,
      sort_order integer not null,
      constraint environments_pkey primary key (name)
    )`.execute(db);
  await sql`
    create table project_environments (
      project text not null,
      environment text not null,
      constraint project_environments_pkey primary key (project, environment),
      constraint project_environments_project_fkey foreign key (project) references projects (id) on delete cascade,
      constraint project_environments_environment_fkey foreign key (environment) references environments (name) on delete cascade
    )`.execute(db);
  await sql`
    create table users (
      id bigint not null,
      name text,
      username text,
      email text,
      told_at timestamptz not null,
      constraint users_pkey primary key (id)
    )`.execute(db);
  await sql`
    create table feature_types (
      id text not null,
      name text not null,
      description text not null,
      lifetime_days integer,
      sort_order integer not null,
      constraint feature_types_pkey primary key (id)
    )`.execute(db);
  await sql`
    create table features (
      name text collate "C" not null,
      project text not null,
      type text not null,
      description text,
      stale boolean not null default false,
      impression_data boolean not null,
      created_at timestamptz not null default now(),
      created_by_user_id bigint not null,
      archived_at timestamptz,
      constraint features_pkey primary key (name),
      constraint features_project_name_key unique (project, name),
      constraint features_project_fkey foreign key (project) references projects (id),
      constraint features_type_fkey foreign key (type) references feature_types (id)
    )`.execute(db);
  await sql`
    create table feature_environments (
      feature_name text collate "C" not null,
      environment text not null,
      project text not null,
      enabled boolean not null default false,
      revision bigint not null default 0,
      constraint feature_environments_pkey primary key (feature_name, environment),
      constraint feature_environments_feature_fkey foreign key (project, feature_name)
        references features (project, name) on update cascade on delete cascade,
      constraint feature_environments_project_environment_fkey foreign key (project, environment)
        references project_environments (project, environment)
    )`.execute(db);
  // A gateway asks for the changes of an environment's project after a revision. With the index it costs what changed.
  await sql`
    create index feature_environments_revision_idx on feature_environments (environment, project, revision)`.execute(
    db,
  );
  await sql`
    create table removed_features (
      environment text not null,
      project text not null,
      feature_name text collate "C" not null,
      revision bigint not null,
      constraint removed_features_pkey primary key (environment, project, feature_name)
    )`.execute(db);
  await sql`
    create index removed_features_revision_idx on removed_features (environment, project, revision)`.execute(db);
  await sql`
    create table feature_strategies (
      id uuid not null default gen_random_uuid(),
      feature_name text collate "C" not null,
      environment text not null,
      name text not null,
      title text,
      disabled boolean not null,
      sort_order integer not null,
      parameters json not null,
      constraints json not null,
      variants json not null,
      segments integer[] not null,
      constraint feature_strategies_pkey primary key (id),
      constraint feature_strategies_environment_fkey foreign key (feature_name, environment)
        references feature_environments (feature_name, environment) on update cascade on delete cascade
    )`.execute(db);
  await sql`
    create index feature_strategies_feature_idx on feature_strategies (feature_name, environment, sort_order)`.execute(
    db,
  );
  await sql`
    create table feature_tags (
      feature_name text collate "C" not null,
      type text not null,
      value text not null,
      constraint feature_tags_pkey primary key (feature_name, type, value),
      constraint feature_tags_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`
    create table feature_lifecycle (
      feature_name text collate "C" not null,
      stage text not null,
      entered_at timestamptz not null default clock_timestamp(),
      constraint feature_lifecycle_pkey primary key (feature_name, stage),
      constraint feature_lifecycle_stage_known check (stage in ('initial', 'pre-live', 'live', 'completed', 'archived')),
      constraint feature_lifecycle_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`
    create table feature_collaborators (
      feature_name text collate "C" not null,
      user_id bigint not null,
      changed_at timestamptz not null default clock_timestamp(),
      constraint feature_collaborators_pkey primary key (feature_name, user_id),
      constraint feature_collaborators_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`
    create table revisions (
      environment text not null,
      project text not null,
      revision bigint not null default 0,
      constraint revisions_pkey primary key (environment, project),
      constraint revisions_project_environment_fkey foreign key (project, environment)
        references project_environments (project, environment)
    )`.execute(db);
  await createOutboxTables(db);
  await createInboxTables(db);
  await createLeaseTables(db);
}
