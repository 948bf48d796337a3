import type { TestDatabase } from './databases.ts';

/**
 * Inserts flags of a new project into an environment, each with a strategy of `bytes` bytes. Requests of this size
 * would take minutes, and the bounds of what SDKs read refuse them. The names are `<project>-00000` and so on.
 */
export async function insertLargeFlags(
  database: TestDatabase,
  { project, environment, count, bytes }: { project: string; environment: string; count: number; bytes: number },
): Promise<void> {
  // What flags counts, or a little more.
  const counted = bytes + 600;
  await database.rows(
    `with project as (insert into flags.projects (id, name) values ($1, $1)),
      place as (insert into flags.project_environments (project, environment) values ($1, $2))
    insert into flags.features (name, project, type, impression_data, created_by_user_id)
    select $1 || '-' || lpad((n - 1)::text, 5, '0'), $1, 'release', false, 1 from generate_series(1, $3::int) as n`,
    [project, environment, count],
  );
  await database.rows(
    `with place as (
      insert into flags.feature_environments (feature_name, environment, project, revision, bytes)
      select name, $2, $1, 1, $4::int from flags.features where project = $1
    ), stage as (
      insert into flags.feature_lifecycle (feature_name, stage)
      select name, 'initial' from flags.features where project = $1
    ), revision as (
      insert into flags.revisions (environment, project, revision, bytes)
      select $2, $1, 1, count(*) * $4::int from flags.features where project = $1
    )
    insert into flags.feature_strategies (
      feature_name, environment, name, disabled, sort_order, parameters, constraints, variants
    )
    select name, $2, 'default', false, 0, json_build_object('filling', repeat('x', $3::int)), '[]', '[]'
    from flags.features where project = $1`,
    [project, environment, bytes, counted],
  );
}
