import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { type GrantedRole, type RolePermission, type StoredRole, viewerRoleId } from './role.ts';

/** Every role of the statement's `users` row: one entry a role, with the projects in which it is held, null where everywhere. */
export const grantedRoles = sql<GrantedRole[]>`(
  select coalesce(json_agg(json_build_object(
    'projects', case when everywhere then null else projects end,
    'permissions', (
      select coalesce(json_agg(json_build_object('permission', permission, 'environment', environment)), '[]')
      from role_permissions where role_permissions.role_id = held.role_id
    )
  )), '[]')
  from (
    select role_id, bool_or(project is null) as everywhere, array_agg(distinct project) as projects
    from (
      select users.root_role as role_id, null as project where users.id is not null
      union all
      select groups.root_role, null from group_users join groups on groups.id = group_users.group_id
        where group_users.user_id = users.id and groups.root_role is not null
      union all
      select role_id, project from project_user_roles where project_user_roles.user_id = users.id
      union all
      select role_id, project from group_users join project_group_roles using (group_id)
        where group_users.user_id = users.id
    ) as each
    group by role_id
  ) as held
)`;

/** The constraint that decides between two roles of one name. */
export const roleNameConstraint = 'roles_name_key';

const columns = ['id', 'type', 'name', 'description'] as const;

/** Every role, predefined ones first. */
export function findRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return db.selectFrom('roles').select(columns).orderBy('id').execute();
}

/** The roles that can be given in a project. */
export function findProjectRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return db.selectFrom('roles').select(columns).where('type', 'in', ['project', 'custom']).orderBy('id').execute();
}

/** The role with this id. */
export async function findRole(db: Kysely<AccountsTables>, id: number): Promise<StoredRole | null> {
  return (await roleWithId(db, id).executeTakeFirst()) ?? null;
}

/** The same, for the transaction to change or delete: whoever gives it to somebody meanwhile waits. */
export async function lockRole(trx: Transaction<AccountsTables>, id: number): Promise<StoredRole | null> {
  return (await roleWithId(trx, id).forUpdate().executeTakeFirst()) ?? null;
}

function roleWithId(db: Kysely<AccountsTables>, id: number) {
  // The cast lets any whole number be asked for; one beyond the column's range is simply not there.
  return db.selectFrom('roles').select(columns).where('id', '=', sql<number>`${id}::bigint`);
}

/** The role of this name, letter by letter. */
export async function findRoleByName(db: Kysely<AccountsTables>, name: string): Promise<StoredRole | null> {
  return (await db.selectFrom('roles').select(columns).where('name', '=', name).executeTakeFirst()) ?? null;
}

/** The roles with these ids and what they permit; none of them can be changed or deleted before the transaction ends. */
export async function holdRolesWithPermissions(
  trx: Transaction<AccountsTables>,
  ids: readonly number[],
): Promise<(StoredRole & { permissions: RolePermission[] })[]> {
  const roles = await trx
    .selectFrom('roles')
    .select(columns)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id')
    .forShare()
    .execute();
  const held = await trx
    .selectFrom('role_permissions')
    .select(['role_id', 'permission', 'environment'])
    .where('role_id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();
  const ofRole = Map.groupBy(held, ({ role_id }) => role_id);
  return roles.map((role) => ({ ...role, permissions: ofRole.get(role.id) ?? [] }));
}

/** What a role permits. */
export function findRolePermissions(db: Kysely<AccountsTables>, roleId: number): Promise<RolePermission[]> {
  return db
    .selectFrom('role_permissions')
    .select(['permission', 'environment'])
    .where('role_id', '=', roleId)
    .orderBy('permission')
    .orderBy('environment')
    .execute();
}

/** Inserts a role; violates `roleNameConstraint` when the name is taken. */
export function insertRole(trx: Transaction<AccountsTables>, role: Omit<StoredRole, 'id'>): Promise<StoredRole> {
  return trx.insertInto('roles').values(role).returning(columns).executeTakeFirstOrThrow();
}

/** Changes what people read of a role; violates `roleNameConstraint` when the name is taken. */
export function updateRoleRow(
  trx: Transaction<AccountsTables>,
  { id, name, description }: Pick<StoredRole, 'id' | 'name' | 'description'>,
): Promise<StoredRole> {
  return trx
    .updateTable('roles')
    .set({ name, description })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Makes these the permissions of a role, and no others. */
export async function replaceRolePermissions(
  trx: Transaction<AccountsTables>,
  roleId: number,
  permissions: readonly RolePermission[],
): Promise<void> {
  await trx.deleteFrom('role_permissions').where('role_id', '=', roleId).execute();
  if (permissions.length === 0) return;
  const rows = permissions.map(({ permission, environment }) => ({ role_id: roleId, permission, environment }));
  await trx.insertInto('role_permissions').values(rows).execute();
}

/** Deletes a role; violates the foreign key of whatever still has it. */
export async function deleteRoleRow(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  // A deleted account keeps its row for the names in the log, and needs its role no more.
  await trx
    .updateTable('users')
    .set({ root_role: viewerRoleId })
    .where('root_role', '=', id)
    .where('deleted_at', 'is not', null)
    .execute();
  await trx.deleteFrom('roles').where('id', '=', id).execute();
}

/** The roles that a user or a service account can have as root role. */
export function findRootRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return rootRoles(db).execute();
}

/** The same, and none of them can be deleted before the transaction ends. */
export function holdRootRoles(trx: Transaction<AccountsTables>): Promise<StoredRole[]> {
  return rootRoles(trx).forKeyShare().execute();
}

function rootRoles(db: Kysely<AccountsTables>) {
  return db.selectFrom('roles').select(columns).where('type', 'in', ['root', 'root-custom']).orderBy('id');
}
