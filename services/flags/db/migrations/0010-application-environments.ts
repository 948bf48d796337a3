import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * The environment whose report made an application. Null for one that an administrator made, and for those made before
 * this migration, which take no room of an environment. It is no foreign key: an application outlives its environment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table applications add column environment text`.execute(db);
  // An environment without room counts its applications in each report with a new name.
  await sql`create index applications_environment_idx on applications (environment)`.execute(db);
}
