import type { Incarnation } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/**
 * Locks incarnations until the transaction ends, so that the access to them is not removed meanwhile. The row of a
 * deleted incarnation becomes that of a later one, which has no access yet. Returns the ids of those that are deleted,
 * or whose row is about another incarnation.
 */
export async function lockIncarnations(
  trx: Transaction<AccountsTables>,
  incarnations: readonly Incarnation[],
): Promise<{ projects: string[]; environments: string[] }> {
  const given = JSON.stringify(incarnations.map(({ kind, id, createdAt }) => ({ kind, id, created_at: createdAt })));
  const { rows } = await sql<Pick<Incarnation, 'kind' | 'id'>>`
    with given as (
      select kind, id, created_at from json_populate_recordset(null::incarnations, ${given})
    ), locked as (
      insert into incarnations as known (kind, id, created_at) select * from given order by kind, id
      on conflict on constraint incarnations_pkey do update set
        created_at = case
          when known.is_deleted then greatest(known.created_at, excluded.created_at) else known.created_at
        end,
        is_deleted = known.is_deleted and known.created_at >= excluded.created_at
      returning *
    )
    select kind, id from given join locked using (kind, id)
    where locked.is_deleted or locked.created_at <> given.created_at`.execute(trx);
  const idsOf = (requestedKind: Incarnation['kind']) =>
    rows.flatMap(({ kind, id }) => (kind === requestedKind ? [id] : []));
  return { projects: idsOf('project'), environments: idsOf('environment') };
}

/** Notes that an incarnation is deleted. Returns false when that was known, or a later one exists. */
export async function markDeleted(
  trx: Transaction<AccountsTables>,
  { kind, id, createdAt }: Incarnation,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into incarnations (kind, id, created_at, is_deleted) values (${kind}, ${id}, ${createdAt}, true)
    on conflict on constraint incarnations_pkey do update set created_at = excluded.created_at, is_deleted = true
    where incarnations.created_at < excluded.created_at
      or (incarnations.created_at = excluded.created_at and not incarnations.is_deleted)`.execute(trx);
  return numAffectedRows === 1n;
}

/** Notes that the incarnations before this one are deleted. Returns false when that was known, or there is none. */
export async function markEarlierDeleted(
  trx: Transaction<AccountsTables>,
  { kind, id, createdAt }: Incarnation,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update incarnations set is_deleted = true
    where kind = ${kind} and id = ${id} and created_at < ${createdAt} and not is_deleted`.execute(trx);
  return numAffectedRows === 1n;
}
