import type { ProjectIncarnation } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/** Those of the projects whose row is about an earlier incarnation. */
export async function findProjectsBehind(
  db: Kysely<AccountsTables>,
  projects: readonly ProjectIncarnation[],
): Promise<ProjectIncarnation[]> {
  const { rows } = await sql<{ id: string }>`
    select id from projects join ${given(projects)} using (id)
    where projects.created_at < given.created_at`.execute(db);
  return projects.filter(({ id }) => rows.some((row) => row.id === id));
}

/**
 * Locks the projects until the transaction ends, so that their access is not removed meanwhile. Others may share the
 * lock. Returns the ids of those that are deleted, or are already of a later incarnation.
 */
export async function lockProjectsForShare(
  trx: Transaction<AccountsTables>,
  projects: readonly ProjectIncarnation[],
): Promise<string[]> {
  await sql`
    insert into projects (id, created_at) select id, created_at from ${given(projects)} order by id
    on conflict do nothing`.execute(trx);
  const { rows } = await sql<{ id: string; is_gone: boolean }>`
    select id, projects.is_deleted or projects.created_at <> given.created_at as is_gone
    from projects join ${given(projects)} using (id)
    order by id
    for share of projects`.execute(trx);
  return rows.filter(({ is_gone }) => is_gone).map(({ id }) => id);
}

/** Notes a later incarnation than the row has. Returns false when the row has no earlier one. */
export async function updateIncarnation(
  trx: Transaction<AccountsTables>,
  { id, createdAt }: ProjectIncarnation,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update projects set created_at = ${createdAt}, is_deleted = false
    where id = ${id} and created_at < ${createdAt}`.execute(trx);
  return numAffectedRows === 1n;
}

/** Notes that this incarnation is deleted. Returns false when that was known, or a later one exists. */
export async function markProjectDeleted(
  trx: Transaction<AccountsTables>,
  { id, createdAt }: ProjectIncarnation,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into projects (id, created_at, is_deleted) values (${id}, ${createdAt}, true)
    on conflict on constraint projects_pkey do update set created_at = excluded.created_at, is_deleted = true
    where projects.created_at < excluded.created_at
      or (projects.created_at = excluded.created_at and not projects.is_deleted)`.execute(trx);
  return numAffectedRows === 1n;
}

function given(projects: readonly ProjectIncarnation[]) {
  const ids = projects.map(({ id }) => id);
  const moments = projects.map(({ createdAt }) => createdAt);
  return sql`unnest(${ids}::text[], ${moments}::timestamptz[]) as given (id, created_at)`;
}
