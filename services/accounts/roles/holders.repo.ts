import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { grantedRoles } from './roles.repo.ts';

/** Somebody who lives, with all roles that they have. */
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

/** Those of these ids that are living users or service accounts; none of them can be deleted before the transaction ends. */
export async function holdUsers(trx: Transaction<AccountsTables>, ids: readonly number[]): Promise<Set<number>> {
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
 * The lock of all that a deletion takes along: memberships, and roles in projects. Whoever gives or takes some of them shares it, a
 * deletion has it alone; so what goes is told with the events before it, in order. It comes before every other lock.
 */
const holdings = sql`hashtextextended('yardarm accounts: memberships and roles in projects', 0)`;

/** Until the transaction ends nobody who has memberships or roles in projects is deleted. */
export async function shareHoldings(trx: Transaction<AccountsTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${holdings})`.execute(trx);
}

/** Until the transaction ends nobody else gives or takes memberships or roles in projects. */
export async function lockHoldings(trx: Transaction<AccountsTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${holdings})`.execute(trx);
}
