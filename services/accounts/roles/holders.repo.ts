import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { grantedRoles } from './roles.repo.ts';

export async function findHolder(db: Kysely<AccountsTables>, userId: number, kind: 'user' | 'service-account') {
  const holder = await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'email', 'root_role', grantedRoles.as('roles')])
    .where('id', '=', sql<number>`${userId}::bigint`)
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return holder ?? null;
}

/** Returns the ids of existing users and service accounts, locked against deletion until the transaction ends. */
export async function lockUsersForShare(
  trx: Transaction<AccountsTables>,
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * The access lock covers memberships and roles in projects. Grants and revocations share it, a deletion has it
 * alone, so that the events of a deletion follow those of earlier changes. It is acquired before every other lock.
 */
const accessLock = sql`hashtextextended('yardarm accounts: memberships and roles in projects', 0)`;

/** Shares the access lock until the transaction ends: nothing that can have roles is deleted meanwhile. */
export async function lockAccessForShare(trx: Transaction<AccountsTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${accessLock})`.execute(trx);
}

/** Acquires the access lock alone until the transaction ends: memberships and roles do not change meanwhile. */
export async function lockAccess(trx: Transaction<AccountsTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${accessLock})`.execute(trx);
}
