import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** Adds when an integration was created: null for the existing ones, of which nobody knows it. */
export const createdAt: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table integrations add column created_at timestamptz`.execute(db);
    await sql`alter table integrations alter column created_at set default now()`.execute(db);
  },
};
