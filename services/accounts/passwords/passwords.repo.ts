import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { StoredUser } from '../users/user.ts';

/** The login names of a person who is not deleted, and the password hash if one is set. */
export interface PasswordOwner {
  id: number;
  username: string | null;
  email: string | null;
  passwordHash: string | null;
}

/** A name as the trigger of `login_names` stores it. */
export function loginName(name: string) {
  return sql<string>`lower(${name}::text)`;
}

/** The person with this login name, a username or an e-mail address, in any case. */
export async function findPasswordOwnerByName(db: Kysely<AccountsTables>, name: string): Promise<PasswordOwner | null> {
  const row = await people(db)
    .where('id', '=', (eb) => eb.selectFrom('login_names').select('user_id').where('name', '=', loginName(name)))
    .executeTakeFirst();
  return row ?? null;
}

export async function findPasswordOwner(db: Kysely<AccountsTables>, id: number): Promise<PasswordOwner | null> {
  const row = await people(db).where('id', '=', sql<number>`${id}::bigint`).executeTakeFirst();
  return row ?? null;
}

/** Locks the person against deletion and a change of the password until the transaction ends. */
export async function lockPasswordOwner(trx: Transaction<AccountsTables>, id: number): Promise<PasswordOwner | null> {
  const row = await people(trx).where('id', '=', sql<number>`${id}::bigint`).forNoKeyUpdate().executeTakeFirst();
  return row ?? null;
}

function people(db: Kysely<AccountsTables>) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'password_hash as passwordHash'])
    .where('kind', '=', 'user')
    .where('deleted_at', 'is', null);
}

/** Stores a new password. It need not be changed, and the failed logins start at zero. */
export async function updatePassword(trx: Transaction<AccountsTables>, id: number, hash: string): Promise<void> {
  await trx
    .updateTable('users')
    .set({ password_hash: hash, must_change_password: false, login_attempts: 0 })
    .where('id', '=', id)
    .execute();
}

export function updateLoggedIn(trx: Transaction<AccountsTables>, id: number): Promise<StoredUser> {
  return trx
    .updateTable('users')
    .set({ login_attempts: 0, seen_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(['id', 'kind', 'name', 'username', 'email', 'root_role as rootRole', 'login_attempts as loginAttempts'])
    .returning(['must_change_password as mustChangePassword', 'seen_at as seenAt', 'created_at as createdAt'])
    .executeTakeFirstOrThrow();
}

/** Records a failed login. Without a user it runs the same statement on no row. */
export async function countFailedLogin(trx: Transaction<AccountsTables>, id: number | null): Promise<void> {
  // The time of a disk flush would reveal that the user exists. A crash may lose a count.
  await sql`set local synchronous_commit to off`.execute(trx);
  await trx
    .updateTable('users')
    .set((eb) => ({ login_attempts: eb('login_attempts', '+', 1) }))
    .where('id', '=', sql<number>`${id}::integer`)
    .execute();
}
