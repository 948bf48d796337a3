import { createInboxTables, type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * The projects and environments of flags, as far as access to them was granted or they were deleted. One that is made
 * again under the id has a later `created_at`. Roles and tokens that name it belong to the row's incarnation: grants
 * lock the row, and a deletion changes it and removes what was granted.
 */
export const incarnations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table incarnations (
        kind text not null constraint incarnations_kind_check check (kind in ('project', 'environment')),
        id text not null,
        created_at timestamptz not null,
        is_deleted boolean not null default false,
        constraint incarnations_pkey primary key (kind, id)
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
