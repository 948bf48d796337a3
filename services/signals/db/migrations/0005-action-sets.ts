import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

export const actionSets: Migration = {
  async up(db: Kysely<unknown>) {
    // source_id is the id of an endpoint without a foreign key: a set outlives its endpoint, and then matches nothing.
    await sql`
      create table action_sets (
        id integer generated always as identity constraint action_sets_pkey primary key,
        project text not null,
        name text not null,
        description text,
        actor_id integer not null,
        enabled boolean not null,
        enabled_at timestamptz,
        source_id integer not null,
        filters jsonb not null,
        cooldown_seconds integer not null default 0,
        created_at timestamptz not null default now(),
        created_by_user_id integer not null,
        last_matched_at timestamptz,
        constraint action_sets_project_name_key unique (project, name),
        constraint action_sets_enabled_at_check check (not enabled or enabled_at is not null)
      )`.execute(db);
    // The sets that a signal of an endpoint can match.
    await sql`create index action_sets_source_id_id_idx on action_sets (source_id, id) where enabled`.execute(db);
    await sql`
      create table actions (
        id integer generated always as identity constraint actions_pkey primary key,
        action_set_id integer not null
          constraint actions_action_set_id_fkey references action_sets on delete cascade,
        sort_order integer not null,
        action text not null,
        execution_params jsonb not null,
        created_at timestamptz not null default now(),
        created_by_user_id integer not null,
        constraint actions_action_set_id_sort_order_key unique (action_set_id, sort_order)
      )`.execute(db);
  },
};
