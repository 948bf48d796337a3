import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { adminRoleId, type StoredRole } from '../roles/role.ts';
import { rootRoleOfTheDeleted, type StoredUser, type UserChange } from './user.ts';

/** The unique indexes that decide between two creators of one name; each of users and service accounts that live. */
export const usernameConstraint = 'users_username_key';
export const emailConstraint = 'users_email_key';

type Kind = StoredUser['kind'];

const columns = [
  ...(['id', 'kind', 'name', 'username', 'email', 'root_role as rootRole', 'login_attempts as loginAttempts'] as const),
  ...(['must_change_password as mustChangePassword', 'seen_at as seenAt', 'created_at as createdAt'] as const),
] as const;

/** Inserts a person; violates `usernameConstraint` or `emailConstraint` when the name is taken. */
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

/** Every living user of the kind, oldest first. */
export function findUsers(db: Kysely<AccountsTables>, kind: Kind): Promise<StoredUser[]> {
  return living(db).select(columns).where('kind', '=', kind).orderBy('id').execute();
}

/** The living user with this id, of whatever kind unless one is given. */
export async function findUser(db: Kysely<AccountsTables>, id: number, kind?: Kind): Promise<StoredUser | null> {
  return (await livingOne(db, id, kind).executeTakeFirst()) ?? null;
}

/** The same, and nobody changes or deletes it before the transaction ends. */
export async function lockUser(trx: Transaction<AccountsTables>, id: number, kind: Kind): Promise<StoredUser | null> {
  return (await livingOne(trx, id, kind).forUpdate().executeTakeFirst()) ?? null;
}

/** Lets one transaction at a time decide who is an admin. Others may still be given the role: the lock leaves foreign keys alone. */
export async function lockAdmins(trx: Transaction<AccountsTables>): Promise<void> {
  await trx.selectFrom('roles').select('id').where('id', '=', adminRoleId).forNoKeyUpdate().execute();
}

/** Whether any person but this one is an admin. */
export async function hasOtherAdmin(trx: Transaction<AccountsTables>, id: number): Promise<boolean> {
  const other = await living(trx)
    .select('id')
    .where('kind', '=', 'user')
    .where('root_role', '=', adminRoleId)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Writes name, e-mail and root role; violates `emailConstraint` when the address is taken. */
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
 * Deletes a user whose row the transaction has locked. The row stays, since events name it; its names are free again, and so is its root
 * role: what nobody living has can be deleted.
 */
export async function deleteUserRow(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  await trx
    .updateTable('users')
    .set({ deleted_at: sql<Date>`now()`, password_hash: null, root_role: rootRoleOfTheDeleted })
    .where('id', '=', id)
    .execute();
  await trx.deleteFrom('password_resets').where('user_id', '=', id).execute();
}

/** The first people, by id, whose name, username or e-mail contains the text in whatever case. */
export function searchUsers(db: Kysely<AccountsTables>, text: string, most: number): Promise<StoredUser[]> {
  return (
    living(db)
      .select(columns)
      .where('kind', '=', 'user')
      // No pattern, in which % and _ would have to be escaped.
      .where(sql<boolean>`strpos(lower(concat_ws(${'\n'}::text, name, username, email)), lower(${text}::text)) > 0`)
      .orderBy('id')
      .limit(most)
      .execute()
  );
}

/** How many people with the root role Admin have a password and how many have none, and how many service accounts have that role. */
export async function countAdmins(
  db: Kysely<AccountsTables>,
): Promise<{ password: number; noPassword: number; service: number }> {
  return living(db)
    .select([
      sql<number>`count(*) filter (where kind = 'user' and password_hash is not null)`.as('password'),
      sql<number>`count(*) filter (where kind = 'user' and password_hash is null)`.as('noPassword'),
      sql<number>`count(*) filter (where kind = 'service-account')`.as('service'),
    ])
    .where('root_role', '=', adminRoleId)
    .executeTakeFirstOrThrow();
}

/** Whether this user can log in with a password. */
export async function hasPassword(db: Kysely<AccountsTables>, id: number): Promise<boolean> {
  const row = await living(db)
    .select('id')
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('password_hash', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** A group as a list to choose from shows it. */
export interface GroupName {
  id: number;
  name: string;
  description: string | null;
  rootRole: number | null;
  userCount: number;
}

/** Every group by name, or those of one user. */
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

/** The roles that a user has in a project, through groups too. */
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

function living(db: Kysely<AccountsTables>) {
  return db.selectFrom('users').where('deleted_at', 'is', null);
}

function livingOne(db: Kysely<AccountsTables>, id: number, kind: Kind | undefined) {
  const one = living(db)
    .select(columns)
    // The cast lets any whole number be asked for; one beyond the column's range is simply not there.
    .where('id', '=', sql<number>`${id}::bigint`);
  return kind === undefined ? one : one.where('kind', '=', kind);
}
