import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * The index has all columns of a key. While the table has no statistics, which is a minute after its first rows,
 * Postgres reads all instances of an application by a shorter one for each instance that it looks up.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index application_instances_key_idx on application_instances (application, environment, instance_id)`.execute(
    db,
  );
  await sql`drop index application_instances_application_idx`.execute(db);
}
