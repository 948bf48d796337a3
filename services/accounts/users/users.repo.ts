import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { adminRoleId, type StoredRole } from '../roles/role.ts';
import { rootRoleOfDeletedUsers, type StoredUser, type UserChange } from './user.ts';

export const usernameConstraint = 'users_username_key';
export const emailConstraint = 'users_email_key';

type Kind = StoredUser['kind'];

const columns = [
  ...(['id', 'kind', 'name', 'username', 'email', 'root_role as rootRole', 'login_attempts as loginAttempts'] as const),
  ...(['must_change_password as mustChangePassword', 'seen_at as seenAt', 'created_at as createdAt'] as const),
] as const;

/** Violates `usernameConstraint` or `emailConstraint` when the name is in use. */
export function insertUser(
  trx: Transaction<AccountsTables>,
  user: Pick<StoredUser, 'name' | 'username' | 'email' | 'rootRole' | 'mustChangePassword'> & {
    passwordHash: string | null;
  },
): Promise<StoredUser> {
  const { name, username, email, rootRole, mustChangePassword, passwordHash } = user;
  return trx
    .insertInto('users')
    .values({
      kind: 'user',
      name,
      username,
      email,
      root_role: rootRole,
      password_hash: passwordHash,
      must_change_password: mustChangePassword,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Deleted users are left out here and below, except in updates by id. */
export function findUsers(db: Kysely<AccountsTables>, kind: Kind): Promise<StoredUser[]> {
  return existingUsers(db).select(columns).where('kind', '=', kind).orderBy('id').execute();
}

export async function findUser(db: Kysely<AccountsTables>, id: number, kind?: Kind): Promise<StoredUser | null> {
  return (await existingUser(db, id, kind).executeTakeFirst()) ?? null;
}

export async function lockUser(trx: Transaction<AccountsTables>, id: number, kind?: Kind): Promise<StoredUser | null> {
  return (await existingUser(trx, id, kind).forUpdate().executeTakeFirst()) ?? null;
}

/**
 * Serializes transactions that may remove an admin. The lock does not conflict with foreign keys, so grants continue.
 */
export async function lockAdmins(trx: Transaction<AccountsTables>): Promise<void> {
  await trx.selectFrom('roles').select('id').where('id', '=', adminRoleId).forNoKeyUpdate().execute();
}

export async function hasOtherAdmin(trx: Transaction<AccountsTables>, id: number): Promise<boolean> {
  const other = await existingUsers(trx)
    .select('id')
    .where('kind', '=', 'user')
    .where('root_role', '=', adminRoleId)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Violates `emailConstraint` when the address is in use. */
export function updateUserRow(
  trx: Transaction<AccountsTables>,
  id: number,
  { name, email, rootRole }: UserChange,
): Promise<StoredUser> {
  return trx
    .updateTable('users')
    .set({ name, email, root_role: rootRole })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/**
 * Marks a user as deleted; the transaction has locked the row. The row stays, since events refer to it. Its names are
 * free again, and its former root role can be deleted.
 */
export async function deleteUserRow(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  await trx
    .updateTable('users')
    .set({ deleted_at: sql<Date>`now()`, password_hash: null, root_role: rootRoleOfDeletedUsers })
    .where('id', '=', id)
    .execute();
  await trx.deleteFrom('password_resets').where('user_id', '=', id).execute();
}

/** The first people, by id, whose name, username or e-mail contains the text in any case. */
export function searchUsers(db: Kysely<AccountsTables>, text: string, limit: number): Promise<StoredUser[]> {
  return (
    existingUsers(db)
      .select(columns)
      .where('kind', '=', 'user')
      // strpos rather than a pattern, in which % and _ would need escapes.
      .where(sql<boolean>`strpos(lower(concat_ws(${'\n'}::text, name, username, email)), lower(${text}::text)) > 0`)
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

/** The number of people with the root role Admin, with and without a password, and of service accounts with it. */
export async function countAdmins(
  db: Kysely<AccountsTables>,
): Promise<{ password: number; noPassword: number; service: number }> {
  return existingUsers(db)
    .select([
      sql<number>`count(*) filter (where kind = 'user' and password_hash is not null)`.as('password'),
      sql<number>`count(*) filter (where kind = 'user' and password_hash is null)`.as('noPassword'),
      sql<number>`count(*) filter (where kind = 'service-account')`.as('service'),
    ])
    .where('root_role', '=', adminRoleId)
    .executeTakeFirstOrThrow();
}

export async function hasPassword(db: Kysely<AccountsTables>, id: number): Promise<boolean> {
  const row = await existingUsers(db)
    .select('id')
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('password_hash', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export interface GroupName {
  id: number;
  name: string;
  description: string | null;
  rootRole: number | null;
  userCount: number;
}

/** All groups by name, or the groups of one user. */
export function findGroupNames(db: Kysely<AccountsTables>, ofUser?: number): Promise<GroupName[]> {
  const groups = db
    .selectFrom('groups')
    .select([
      ...(['id', 'name', 'description', 'root_role as rootRole'] as const),
      sql<number>`(select count(*) from group_users where group_users.group_id = groups.id)`.as('userCount'),
    ])
    .orderBy(sql`lower(name)`);
  if (ofUser === undefined) return groups.execute();
  return groups
    .where('id', 'in', (query) =>
      query.selectFrom('group_users').select('group_id').where('user_id', '=', sql<number>`${ofUser}::bigint`),
    )
    .execute();
}

/** The roles of a user in a project, own ones and those of groups. */
export function findProjectRoles(db: Kysely<AccountsTables>, userId: number, project: string): Promise<StoredRole[]> {
  return db
    .selectFrom('roles')
    .select(['id', 'type', 'name', 'description'])
    .where('id', 'in', (query) =>
      query
        .selectFrom('project_user_roles')
        .select('role_id')
        .where('project', '=', project)
        .where('user_id', '=', sql<number>`${userId}::bigint`)
        .union(
          query
            .selectFrom('project_group_roles')
            .innerJoin('group_users', 'group_users.group_id', 'project_group_roles.group_id')
            .select('role_id')
            .where('project', '=', project)
            .where('user_id', '=', sql<number>`${userId}::bigint`),
        ),
    )
    .orderBy('id')
    .execute();
}

function existingUsers(db: Kysely<AccountsTables>) {
  return db.selectFrom('users').where('deleted_at', 'is', null);
}

function existingUser(db: Kysely<AccountsTables>, id: number, kind: Kind | undefined) {
  const one = existingUsers(db)
    .select(columns)
    // The cast allows ids beyond the range of the column; they match no row.
    .where('id', '=', sql<number>`${id}::bigint`);
  return kind === undefined ? one : one.where('kind', '=', kind);
}
