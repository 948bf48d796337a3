import { type Kysely, sql } from '@yardarm/shared/db';

/** The outcomes of steps. The row of a step is inserted before its change, and gets its outcome in the transaction. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table steps (
      id uuid not null,
      outcome jsonb,
      finished_at timestamptz,
      constraint steps_pkey primary key (id)
    )`.execute(db);
  await sql`create index steps_finished_idx on steps (finished_at)`.execute(db);
}
