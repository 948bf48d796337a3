import { createInboxTables, type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * The projects of flags, as far as access to them was granted or they were deleted. A project that is created again
 * under the id has a later `created_at`. The roles and tokens of a project belong to the row's incarnation: grants lock
 * the row for share, and whoever changes it removes the access to the incarnation before.
 */
export const projects: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table projects (
        id text not null constraint projects_pkey primary key,
        created_at timestamptz not null,
        is_deleted boolean not null default false
      )`.execute(db);
    // No projects at all could be mistaken for all of them, and `*` makes others pointless.
    await sql`
      alter table tokens
        add constraint tokens_projects_check check (kind not in ('client', 'frontend') or cardinality(projects) > 0),
        add constraint tokens_every_project_check
          check (not projects @> array['*'] or cardinality(projects) = 1)`.execute(db);
    await sql`
      create index tokens_projects_idx on tokens using gin (projects)
        where kind in ('client', 'frontend')`.execute(db);
    await createInboxTables(db);
  },
};
