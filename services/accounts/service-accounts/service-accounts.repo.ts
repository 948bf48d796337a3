import { type Kysely, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { GrantedRole } from '../roles/role.ts';
import { grantedRoles } from '../roles/roles.repo.ts';
import type { StoredServiceAccount } from './service-account.ts';

interface Row {
  id: number;
  name: string | null;
  username: string | null;
  root_role: number;
  created_at: Date;
}

const columns = ['id', 'name', 'username', 'root_role', 'created_at'] as const;

/** Violates `usernameConstraint` when the username is in use. */
export async function insertServiceAccount(
  trx: Transaction<AccountsTables>,
  { name, username, rootRole }: { name: string; username: string; rootRole: number },
): Promise<StoredServiceAccount> {
  const row = await trx
    .insertInto('users')
    .values({ kind: 'service-account', name, username, root_role: rootRole })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toStored(row);
}

export async function findServiceAccounts(db: Kysely<AccountsTables>): Promise<StoredServiceAccount[]> {
  const rows = await db
    .selectFrom('users')
    .select(columns)
    .where('kind', '=', 'service-account')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(toStored);
}

/** A service account and all its roles, also by groups, from one snapshot. */
export async function findServiceAccountWithRoles(
  db: Kysely<AccountsTables>,
  id: number,
): Promise<(Pick<StoredServiceAccount, 'id' | 'name' | 'username'> & { roles: GrantedRole[] }) | null> {
  const account = existingServiceAccount(db, id).select(['users.name', 'users.username', grantedRoles.as('roles')]);
  const [row] = (await prepared('find-service-account', account).execute(db)).rows;
  if (!row) return null;
  // Never null for this kind: users_service_account_named_check.
  const { name, username } = row as { name: string; username: string };
  return { id, name, username, roles: row.roles };
}

export async function hasServiceAccount(db: Kysely<AccountsTables>, id: number): Promise<boolean> {
  return (await existingServiceAccount(db, id).executeTakeFirst()) !== undefined;
}

/** Locks the service account against deletion until the transaction ends. */
export async function lockServiceAccountForShare(trx: Transaction<AccountsTables>, id: number): Promise<boolean> {
  return (await existingServiceAccount(trx, id).forShare().executeTakeFirst()) !== undefined;
}

function existingServiceAccount(db: Kysely<AccountsTables>, id: number) {
  return (
    db
      .selectFrom('users')
      .select('id')
      // The cast allows ids beyond the range of the column; they match no row.
      .where('id', '=', sql<number>`${id}::bigint`)
      .where('kind', '=', 'service-account')
      .where('deleted_at', 'is', null)
  );
}

function toStored(row: Row): StoredServiceAccount {
  // Never null for this kind: users_service_account_named_check.
  const { name, username } = row as { name: string; username: string };
  return { id: row.id, name, username, rootRole: row.root_role, createdAt: row.created_at };
}
