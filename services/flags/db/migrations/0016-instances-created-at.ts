import { type Kysely, sql } from '@yardarm/shared/db';

/** When an instance first reported; of those that are known already, their last report so far. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The default is for replicas of the release before. There are at most 10,000 instances in an environment.
  await sql`alter table application_instances add column created_at timestamptz not null default now()`.execute(db);
  await sql`update application_instances set created_at = seen_at`.execute(db);
}
