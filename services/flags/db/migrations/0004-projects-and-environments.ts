import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * The settings of projects and environments. `created_at` tells those of one name apart. It is the time of the insert,
 * since the transaction may have waited before, and in milliseconds, as in events. `deleted_incarnations` are the
 * deleted ones whose access accounts may still have; a row stays until the name is used again.
 *
 * Revisions lose their foreign key: a counter outlives its project and its environment, because a counter that began
 * again would repeat the ETags of earlier states.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table projects
      add mode text not null default 'open',
      add default_stickiness text not null default 'default',
      add feature_limit integer,
      add feature_naming json,
      add link_templates json not null default '[]',
      add archived_at timestamptz,
      add updated_at timestamptz not null default now(),
      alter created_at type timestamptz(3),
      alter created_at set default clock_timestamp(),
      add constraint projects_mode_known check (mode = 'open')`.execute(db);
  await sql`
    alter table environments
      add enabled boolean not null default true,
      add protected boolean not null default false,
      add required_approvals integer,
      add created_at timestamptz(3) not null default clock_timestamp()`.execute(db);
  await sql`
    create table deleted_incarnations (
      kind text not null,
      id text not null,
      created_at timestamptz(3) not null,
      constraint deleted_incarnations_pkey primary key (kind, id)
    )`.execute(db);
  await sql`alter table project_environments add default_strategy json`.execute(db);
  await sql`alter table revisions drop constraint revisions_project_environment_fkey`.execute(db);
  // A change deletes the rows of its flags, in whatever places they are.
  await sql`
    alter table removed_features
      drop constraint removed_features_pkey,
      add constraint removed_features_pkey primary key (feature_name, environment, project)`.execute(db);
  await sql`
    create table project_favorites (
      user_id bigint not null,
      project text not null,
      constraint project_favorites_pkey primary key (user_id, project),
      constraint project_favorites_project_fkey foreign key (project) references projects (id) on delete cascade
    )`.execute(db);
  await sql`create index project_favorites_project_idx on project_favorites (project)`.execute(db);
}
