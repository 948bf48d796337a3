import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { StoredUser } from '../users/user.ts';

/** A living person's names to log in by, and the hash of their password when they have one. */
export interface PasswordOwner {
  id: number;
  username: string | null;
  email: string | null;
  passwordHash: string | null;
}

/** The living person who logs in by this name, a username or an e-mail, in whatever case. */
export async function findPasswordOwnerByName(db: Kysely<AccountsTables>, name: string): Promise<PasswordOwner | null> {
  const row = await people(db)
    .where('id', '=', (eb) =>
      eb.selectFrom('login_names').select('user_id').where('name', '=', sql<string>`lower(${name})`),
    )
    .executeTakeFirst();
  return row ?? null;
}

/** The living person with this id. */
export async function findPasswordOwner(db: Kysely<AccountsTables>, id: number): Promise<PasswordOwner | null> {
  const row = await people(db).where('id', '=', sql<number>`${id}::bigint`).executeTakeFirst();
  return row ?? null;
}

/** The same, and nobody can delete them or change their password before the transaction ends. */
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

/** Keeps a new password; whoever chose it need not choose another, and starts with no failures. */
export async function updatePassword(trx: Transaction<AccountsTables>, id: number, hash: string): Promise<void> {
  await trx
    .updateTable('users')
    .set({ password_hash: hash, must_change_password: false, login_attempts: 0 })
    .where('id', '=', id)
    .execute();
}

/** Notes a login. */
export function updateLoggedIn(trx: Transaction<AccountsTables>, id: number): Promise<StoredUser> {
  return trx
    .updateTable('users')
    .set({ login_attempts: 0, seen_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(['id', 'kind', 'name', 'username', 'email', 'root_role as rootRole', 'login_attempts as loginAttempts'])
    .returning(['must_change_password as mustChangePassword', 'seen_at as seenAt', 'created_at as createdAt'])
    .executeTakeFirstOrThrow();
}

/** Notes a login that failed; without a user it does the same to nobody. */
export async function countFailedLogin(trx: Transaction<AccountsTables>, id: number | null): Promise<void> {
  // Waiting for the disk would tell, by the time it takes, that there is such a user; a crash may forget a failure.
  await sql`set local synchronous_commit to off`.execute(trx);
  await trx
    .updateTable('users')
    .set((eb) => ({ login_attempts: eb('login_attempts', '+', 1) }))
    .where('id', '=', sql<number>`${id}::integer`)
    .execute();
}
