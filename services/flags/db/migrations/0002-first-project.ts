import { type Kysely, sql } from '@yardarm/shared/db';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into epoch default values`.execute(db);
  await sql`insert into projects (id, name, description) values ('default', 'Default', 'The first project')`.execute(
    db,
  );
  await sql`
    insert into environments (name, type, sort_order)
    values ('development', 'development', 1), ('production', 'production', 2)`.execute(db);
  await sql`
    insert into project_environments (project, environment)
    values ('default', 'development'), ('default', 'production')`.execute(db);
  await sql`
    insert into revisions (environment, project)
    values ('development', 'default'), ('production', 'default')`.execute(db);
  // The two actors without an account. All admin tokens share one id, so it has one name.
  await sql`
    insert into users (id, name, username, email, told_at)
    values (-1337, 'Yardarm', 'yardarm-system', null, 'infinity'), (-42, 'Admin token', 'admin-token', null, 'infinity')`.execute(
    db,
  );
  await sql`
    insert into feature_types (id, name, description, lifetime_days, sort_order)
    values
      ('release', 'Release', 'Lets a team deploy code before users meet it, and roll it out step by step.', 40, 1),
      ('experiment', 'Experiment', 'Compares variants of the same thing with real users.', 40, 2),
      ('operational', 'Operational', 'Controls how the system runs while a change of operation is under way.', 7, 3),
      ('kill-switch', 'Kill switch', 'Turns a part of the system off when it must degrade gracefully.', null, 4),
      ('permission', 'Permission', 'Decides who may use or see a part of the product.', null, 5)`.execute(db);
}
