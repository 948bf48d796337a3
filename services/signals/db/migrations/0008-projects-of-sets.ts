import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * When the project of a set and its runs was created: an id alone does not tell a project from one that was deleted.
 * The column is null in rows that the previous version inserts. The table notes deleted projects for creations of sets
 * that have not committed yet.
 */
export const projectsOfSets: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table action_sets add column project_created_at timestamptz`.execute(db);
    await sql`alter table action_runs add column project_created_at timestamptz`.execute(db);
    await sql`
      create table deleted_projects (
        project text not null constraint deleted_projects_pkey primary key,
        created_at timestamptz not null,
        deleted_at timestamptz not null default now()
      )`.execute(db);
  },
};
