import { type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredProject } from './project.ts';

/**
 * Locks the rows of projects in the order of their ids and returns them by id. Projects that do not exist are missing
 * from the result. With `share` others may hold the same lock, and nobody changes the rows until the commit.
 */
export async function lockProjects(
  trx: Transaction<FlagsTables>,
  ids: readonly string[],
  mode: 'share' | 'update',
): Promise<Map<string, StoredProject>> {
  const { rows } = await sql<Selectable<FlagsTables['projects']>>`
    select * from projects where id = any(${ids}::text[])
    order by id
    for ${sql.raw(mode)}`.execute(trx);
  return new Map(rows.map((row) => [row.id, toRow(row)]));
}

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
