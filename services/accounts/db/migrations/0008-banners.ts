import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** The banners of consoles, and which splashes each user has seen. The contract limits the texts. */
export const banners: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table banners (
        id integer generated always as identity constraint banners_pkey primary key,
        message text not null,
        enabled boolean not null,
        variant text not null
          constraint banners_variant_check check (variant in ('info', 'warning', 'error', 'success')),
        sticky boolean not null,
        icon text,
        link text,
        link_text text,
        dialog_title text,
        dialog text,
        created_at timestamptz not null default now()
      )`.execute(db);
    await sql`
      create table seen_splashes (
        user_id integer not null
          constraint seen_splashes_user_id_fkey references users on delete cascade,
        splash_id text not null,
        seen_at timestamptz not null default now(),
        constraint seen_splashes_pkey primary key (user_id, splash_id)
      )`.execute(db);
  },
};
