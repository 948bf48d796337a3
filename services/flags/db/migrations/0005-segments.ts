import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * `segment_revisions` has one row per segment, environment and project that has used it. Its revision is that of
 * (environment, project) at the last change of the segment there, so readers of deltas find it like a flag. A row stays
 * when the last use ends, for readers that still have the segment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table segments (
      id integer generated always as identity,
      name text not null,
      description text,
      project text,
      constraints json not null,
      created_by text not null,
      created_at timestamptz not null default now(),
      constraint segments_pkey primary key (id),
      constraint segments_name_key unique (name),
      constraint segments_project_fkey foreign key (project) references projects (id)
    )`.execute(db);
  await sql`create index segments_project_idx on segments (project)`.execute(db);
  await sql`
    create table strategy_segments (
      strategy_id uuid not null,
      segment_id integer not null,
      constraint strategy_segments_pkey primary key (strategy_id, segment_id),
      constraint strategy_segments_strategy_fkey foreign key (strategy_id) references feature_strategies (id) on delete cascade,
      constraint strategy_segments_segment_fkey foreign key (segment_id) references segments (id)
    )`.execute(db);
  await sql`create index strategy_segments_segment_idx on strategy_segments (segment_id)`.execute(db);
  // No strategy could have a segment before this migration.
  await sql`alter table feature_strategies drop column segments`.execute(db);
  await sql`
    create table segment_revisions (
      environment text not null,
      project text not null,
      segment_id integer not null,
      is_used boolean not null,
      revision bigint not null,
      constraint segment_revisions_pkey primary key (environment, project, segment_id)
    )`.execute(db);
  await sql`
    create index segment_revisions_revision_idx on segment_revisions (environment, project, revision)`.execute(db);
  await sql`create index segment_revisions_segment_idx on segment_revisions (segment_id)`.execute(db);
}
