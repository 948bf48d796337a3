import type { Incarnation } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** Those of the projects and environments that exist, with the times of their creation. */
export async function findIncarnations(
  db: Kysely<FlagsTables>,
  asked: { projects: readonly string[]; environments: readonly string[] },
): Promise<Incarnation[]> {
  const { rows } = await sql<Omit<Incarnation, 'createdAt'> & { createdAt: Date }>`
    select 'project' as kind, id, created_at as "createdAt" from projects where id = any(${asked.projects}::text[])
    union all
    select 'environment', name, created_at from environments where name = any(${asked.environments}::text[])`.execute(
    db,
  );
  return rows.map(({ createdAt, ...named }) => ({ ...named, createdAt: createdAt.toISOString() }));
}

/** The deleted project or environment of this name whose access accounts may still have; null without one. */
export async function findDeletedIncarnation(
  db: Kysely<FlagsTables>,
  { kind, id }: Pick<Incarnation, 'kind' | 'id'>,
): Promise<Incarnation | null> {
  const row = await db
    .selectFrom('deleted_incarnations')
    .select('created_at')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { kind, id, createdAt: row.created_at.toISOString() } : null;
}

/** The name had no row, since it was free when the project or environment was made. */
export async function insertDeletedIncarnation(
  trx: Transaction<FlagsTables>,
  { kind, id, createdAt }: Omit<Incarnation, 'createdAt'> & { createdAt: Date },
): Promise<void> {
  await trx.insertInto('deleted_incarnations').values({ kind, id, created_at: createdAt }).execute();
}

export async function deleteDeletedIncarnation(
  db: Kysely<FlagsTables>,
  { kind, id, createdAt }: Incarnation,
): Promise<void> {
  await db
    .deleteFrom('deleted_incarnations')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('created_at', '=', new Date(createdAt))
    .execute();
}
