import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

export async function findProjectIds(db: Kysely<FlagsTables>): Promise<string[]> {
  const rows = await db.selectFrom('projects').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

export async function hasProject(db: Kysely<FlagsTables>, id: string): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Those of the ids that no project has. */
export async function findMissingProjects(db: Kysely<FlagsTables>, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::text[]) as asked (id)
    where not exists (select from projects where projects.id = asked.id)`.execute(db);
  return rows.map(({ id }) => id);
}
