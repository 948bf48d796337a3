import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** The views of flags that each user has saved. The contract limits the texts. */
export const savedViews: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table saved_views (
        id integer generated always as identity constraint saved_views_pkey primary key,
        user_id integer not null
          constraint saved_views_user_id_fkey references users on delete cascade,
        name text not null,
        project text,
        query text not null,
        created_at timestamptz not null default now(),
        constraint saved_views_user_id_name_key unique (user_id, name)
      )`.execute(db);
  },
};
