import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** The settings that an API can change. A row without content has the default, and keeps its revision. */
export const settings: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table settings (
        name text not null constraint settings_pkey primary key,
        content jsonb,
        revision bigint not null default 0,
        changed_at timestamptz not null default now(),
        changed_by bigint
      )`.execute(db);
  },
};
