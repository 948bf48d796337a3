import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

// Not imported from the contracts: a migration defines what a database contains, whatever later code says. These are
// the permissions of the public product's Editor.
const editorPermissions = [
  ...['CREATE_ADDON', 'UPDATE_ADDON', 'DELETE_ADDON', 'READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'],
  ...['UPDATE_APPLICATION', 'CREATE_PROJECT'],
  ...['CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD', 'DELETE_CONTEXT_FIELD'],
  ...['CREATE_SEGMENT', 'UPDATE_SEGMENT', 'DELETE_SEGMENT'],
  ...['CREATE_STRATEGY', 'UPDATE_STRATEGY', 'DELETE_STRATEGY'],
  ...['CREATE_TAG_TYPE', 'UPDATE_TAG_TYPE', 'DELETE_TAG_TYPE'],
  ...['RELEASE_PLAN_TEMPLATE_CREATE', 'RELEASE_PLAN_TEMPLATE_UPDATE'],
  ...['CREATE_FEATURE', 'UPDATE_FEATURE', 'UPDATE_FEATURE_DEPENDENCY', 'UPDATE_FEATURE_VARIANTS'],
  ...['DELETE_FEATURE', 'MOVE_FEATURE_TOGGLE', 'UPDATE_PROJECT', 'DELETE_PROJECT'],
  ...['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN'],
  ...['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'],
  ...['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
];
const addedOwnerPermissions = [
  ...['UPDATE_PROJECT_CONTEXT', 'UPDATE_PROJECT_RELEASE_TEMPLATE'],
  ...['PROJECT_CHANGE_REQUEST_READ', 'PROJECT_CHANGE_REQUEST_WRITE'],
  ...['APPROVE_CHANGE_REQUEST', 'APPLY_CHANGE_REQUEST', 'SKIP_CHANGE_REQUEST'],
];

/** People with passwords and sessions, groups, roles in projects, and the selectors of deleted tokens. */
export const peopleTables: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`delete from role_permissions where role_id = 2`.execute(db);
    await sql`insert into role_permissions (role_id, permission)
      select 2, unnest(${editorPermissions}::text[])`.execute(db);
    await sql`insert into role_permissions (role_id, permission)
      select 4, unnest(${addedOwnerPermissions}::text[])`.execute(db);

    // The hash is argon2id in PHC form; null for service accounts and for people without a password.
    await sql`
      alter table users
        add column password_hash text,
        add column must_change_password boolean not null default false,
        add column login_attempts integer not null default 0,
        add column seen_at timestamptz,
        add constraint users_person_named_check check (kind <> 'user' or username is not null or email is not null),
        add constraint users_password_check check (kind = 'user' or password_hash is null)`.execute(db);
    await sql`create unique index users_email_key on users (lower(email)) where deleted_at is null`.execute(db);

    // A session is a token issued by a login. Lookup, expiry, deletion and last use are those of every other token.
    await sql`alter table tokens drop constraint tokens_kind_check`.execute(db);
    await sql`
      alter table tokens add constraint tokens_kind_check
        check (kind in ('client', 'frontend', 'admin', 'personal', 'session'))`.execute(db);
    await sql`alter table tokens drop constraint tokens_scope_check`.execute(db);
    await sql`
      alter table tokens add constraint tokens_scope_check check (case
        when kind in ('personal', 'session') then user_id is not null and expires_at is not null and environment is null
        when kind = 'admin' then user_id is null and environment is null
        else user_id is null and environment is not null
      end)`.execute(db);
    await sql`create index tokens_expires_at_idx on tokens (expires_at) where kind = 'session'`.execute(db);

    // The selectors of deleted API tokens: a setting that still names one must not create it again.
    await sql`
      create table retired_tokens (
        selector text not null constraint retired_tokens_pkey primary key,
        retired_at timestamptz not null default now()
      )`.execute(db);

    // One-time tokens for choosing a password, at most one per user.
    await sql`
      create table password_resets (
        user_id integer not null constraint password_resets_pkey primary key
          constraint password_resets_user_id_fkey references users on delete cascade,
        selector text not null constraint password_resets_selector_key unique,
        hash text not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`.execute(db);

    await sql`
      create table groups (
        id integer generated always as identity constraint groups_pkey primary key,
        name text not null,
        description text,
        mappings_sso text[] not null default '{}',
        root_role integer constraint groups_root_role_fkey references roles,
        created_by text,
        created_at timestamptz not null default now()
      )`.execute(db);
    await sql`create unique index groups_name_key on groups (lower(name))`.execute(db);
    await sql`create index groups_root_role_idx on groups (root_role)`.execute(db);
    await sql`
      create table group_users (
        group_id integer not null constraint group_users_group_id_fkey references groups on delete cascade,
        user_id integer not null constraint group_users_user_id_fkey references users on delete cascade,
        joined_at timestamptz not null default now(),
        created_by text,
        constraint group_users_pkey primary key (group_id, user_id)
      )`.execute(db);
    await sql`create index group_users_user_id_idx on group_users (user_id)`.execute(db);

    // Projects belong to flags, another service, so there is no foreign key.
    await sql`
      create table project_user_roles (
        project text not null,
        user_id integer not null constraint project_user_roles_user_id_fkey references users on delete cascade,
        role_id integer not null constraint project_user_roles_role_id_fkey references roles,
        added_at timestamptz not null default now(),
        constraint project_user_roles_pkey primary key (project, user_id, role_id)
      )`.execute(db);
    await sql`create index project_user_roles_user_id_idx on project_user_roles (user_id)`.execute(db);
    await sql`create index project_user_roles_role_id_idx on project_user_roles (role_id)`.execute(db);
    await sql`
      create table project_group_roles (
        project text not null,
        group_id integer not null constraint project_group_roles_group_id_fkey references groups on delete cascade,
        role_id integer not null constraint project_group_roles_role_id_fkey references roles,
        added_at timestamptz not null default now(),
        constraint project_group_roles_pkey primary key (project, group_id, role_id)
      )`.execute(db);
    await sql`create index project_group_roles_group_id_idx on project_group_roles (group_id)`.execute(db);
    await sql`create index project_group_roles_role_id_idx on project_group_roles (role_id)`.execute(db);

    // Counted attempts. The columns are those of rate-limiter-flexible. Unlogged: a crash loses minutes of counts, and
    // logins need no flush for them.
    await sql`
      create unlogged table rate_limits (
        key varchar(255) not null constraint rate_limits_pkey primary key,
        points integer not null default 0,
        expire bigint
      )`.execute(db);
  },
};
