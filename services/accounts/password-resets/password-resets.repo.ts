import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { StoredRole } from '../roles/role.ts';

/** Stores a one-time token of a user in place of an earlier one. Its lifetime follows the clock of the database. */
export async function upsertReset(
  trx: Transaction<AccountsTables>,
  reset: { userId: number; selector: string; hash: string; createdBy: string; lifeHours: number },
): Promise<{ expiresAt: Date }> {
  const values = {
    selector: reset.selector,
    hash: reset.hash,
    created_by: reset.createdBy,
    created_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + ${reset.lifeHours} * interval '1 hour'`,
  };
  const row = await trx
    .insertInto('password_resets')
    .values({ user_id: reset.userId, ...values })
    .onConflict((conflict) => conflict.constraint('password_resets_pkey').doUpdateSet(values))
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { expiresAt: row.expires_at };
}

/** An open reset and its user. An expired reset or one of a deleted user is not open. */
export interface OpenReset {
  hash: string;
  createdBy: string;
  user: { id: number; name: string | null; username: string | null; email: string | null };
  role: StoredRole;
}

export async function findOpenReset(db: Kysely<AccountsTables>, selector: string): Promise<OpenReset | null> {
  const row = await db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .innerJoin('roles', 'roles.id', 'users.root_role')
    .where('password_resets.selector', '=', selector)
    .where('password_resets.expires_at', '>', sql<Date>`now()`)
    .where('users.deleted_at', 'is', null)
    .select(['password_resets.hash', 'password_resets.created_by'])
    .select(['users.id', 'users.name', 'users.username', 'users.email'])
    .select(['roles.id as role_id', 'roles.type', 'roles.name as role_name', 'roles.description'])
    .executeTakeFirst();
  if (!row) return null;
  const { hash, created_by, id, name, username, email, role_id, type, role_name, description } = row;
  const role = { id: role_id, type, name: role_name, description };
  return { hash, createdBy: created_by, user: { id, name, username, email }, role };
}

/** Uses up an open reset. Of several concurrent uses one returns true. */
export async function useResetRow(trx: Transaction<AccountsTables>, selector: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('password_resets')
    .where('selector', '=', selector)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteReset(trx: Transaction<AccountsTables>, userId: number): Promise<void> {
  await trx.deleteFrom('password_resets').where('user_id', '=', userId).execute();
}

export async function deleteExpiredResets(db: Kysely<AccountsTables>): Promise<void> {
  await db.deleteFrom('password_resets').where('expires_at', '<', sql<Date>`now()`).execute();
}
