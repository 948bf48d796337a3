import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { type GrantedRole, type RolePermission, type StoredRole, viewerRoleId } from './role.ts';

/**
 * SQL for the roles of the `users` row of a statement: one entry per role, with its projects in the order of `since`,
 * null for everywhere.
 */
export const grantedRoles = sql<GrantedRole[]>`(
  select coalesce(json_agg(json_build_object(
    'projects', case when everywhere then null else projects end,
    'since', case when everywhere then null else since end,
    'permissions', (
      select coalesce(json_agg(json_build_object('permission', permission, 'environment', environment)), '[]')
      from role_permissions where role_permissions.role_id = user_roles.role_id
    )
  )), '[]')
  from (
    select
      role_id, bool_or(project is null) as everywhere, array_agg(project order by since, project) as projects,
      array_agg(since order by since, project) as since
    from (
      select role_id, project, (extract(epoch from min(added_at)) * 1000000)::bigint as since from (
        select users.root_role as role_id, null as project, null::timestamptz as added_at where users.id is not null
        union all
        select groups.root_role, null, null from group_users join groups on groups.id = group_users.group_id
          where group_users.user_id = users.id and groups.root_role is not null
        union all
        select role_id, project, added_at from project_user_roles where project_user_roles.user_id = users.id
        union all
        select role_id, project, greatest(added_at, joined_at) from group_users
          join project_group_roles using (group_id)
          where group_users.user_id = users.id
      ) as each
      group by role_id, project
    ) as places
    group by role_id
  ) as user_roles
)`;

export const roleNameConstraint = 'roles_name_key';

const columns = ['id', 'type', 'name', 'description'] as const;

/** Every role, predefined ones first. */
export function findRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return db.selectFrom('roles').select(columns).orderBy('id').execute();
}

export function findProjectRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return db.selectFrom('roles').select(columns).where('type', 'in', ['project', 'custom']).orderBy('id').execute();
}

export async function findRole(db: Kysely<AccountsTables>, id: number): Promise<StoredRole | null> {
  return (await roleWithId(db, id).executeTakeFirst()) ?? null;
}

/** Locks the role for a change or deletion; concurrent grants of it wait. */
export async function lockRole(trx: Transaction<AccountsTables>, id: number): Promise<StoredRole | null> {
  return (await roleWithId(trx, id).forUpdate().executeTakeFirst()) ?? null;
}

function roleWithId(db: Kysely<AccountsTables>, id: number) {
  // The cast allows ids beyond the range of the column; they match no row.
  return db.selectFrom('roles').select(columns).where('id', '=', sql<number>`${id}::bigint`);
}

/** Role names are compared exactly. */
export async function findRoleByName(db: Kysely<AccountsTables>, name: string): Promise<StoredRole | null> {
  return (await db.selectFrom('roles').select(columns).where('name', '=', name).executeTakeFirst()) ?? null;
}

interface RoleAndPermissions extends StoredRole {
  permissions: RolePermission[];
}

/** The roles with these ids and their permissions, locked against changes and deletion until the transaction ends. */
export function lockRolesWithPermissionsForShare(
  trx: Transaction<AccountsTables>,
  ids: readonly number[],
): Promise<RoleAndPermissions[]> {
  return lockRolesWithPermissions(trx, ids, 'share');
}

async function lockRolesWithPermissions(
  trx: Transaction<AccountsTables>,
  ids: readonly number[],
  mode: 'share' | 'update',
): Promise<RoleAndPermissions[]> {
  const query = trx
    .selectFrom('roles')
    .select(columns)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id');
  const roles = await (mode === 'share' ? query.forShare() : query.forUpdate()).execute();
  const permissions = await trx
    .selectFrom('role_permissions')
    .select(['role_id', 'permission', 'environment'])
    .where('role_id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('permission')
    .orderBy('environment')
    .execute();
  const ofRole = Map.groupBy(permissions, ({ role_id }) => role_id);
  return roles.map((role) => ({ ...role, permissions: ofRole.get(role.id) ?? [] }));
}

/**
 * The roles with permissions in this environment alone, and all their permissions, locked until the transaction ends.
 * The caller has locked the environment, so that no role gets such a permission meanwhile.
 */
export async function lockRolesOfEnvironment(
  trx: Transaction<AccountsTables>,
  environment: string,
): Promise<RoleAndPermissions[]> {
  const found = await trx
    .selectFrom('role_permissions')
    .select('role_id')
    .where('environment', '=', environment)
    .execute();
  const roles = await lockRolesWithPermissions(trx, [...new Set(found.map(({ role_id }) => role_id))], 'update');
  // A change of a role that was committed meanwhile may have removed its permission.
  return roles.filter(({ permissions }) => permissions.some((each) => each.environment === environment));
}

/** The caller has locked the roles. */
export async function deletePermissionsOfEnvironment(
  trx: Transaction<AccountsTables>,
  environment: string,
): Promise<void> {
  await trx.deleteFrom('role_permissions').where('environment', '=', environment).execute();
}

export function findRolePermissions(db: Kysely<AccountsTables>, roleId: number): Promise<RolePermission[]> {
  return db
    .selectFrom('role_permissions')
    .select(['permission', 'environment'])
    .where('role_id', '=', roleId)
    .orderBy('permission')
    .orderBy('environment')
    .execute();
}

/** Violates `roleNameConstraint` when the name is in use. */
export function insertRole(trx: Transaction<AccountsTables>, role: Omit<StoredRole, 'id'>): Promise<StoredRole> {
  return trx.insertInto('roles').values(role).returning(columns).executeTakeFirstOrThrow();
}

/** Changes name and description; violates `roleNameConstraint` when the name is in use. */
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

/** Violates a foreign key when the role is in use. */
export async function deleteRoleRow(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  // A deleted account keeps its row, since events refer to it, and no longer needs its role.
  await trx
    .updateTable('users')
    .set({ root_role: viewerRoleId })
    .where('root_role', '=', id)
    .where('deleted_at', 'is not', null)
    .execute();
  await trx.deleteFrom('roles').where('id', '=', id).execute();
}

export function findRootRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return rootRoles(db).execute();
}

/** The root roles, locked against deletion until the transaction ends. */
export function lockRootRolesForShare(trx: Transaction<AccountsTables>): Promise<StoredRole[]> {
  return rootRoles(trx).forKeyShare().execute();
}

function rootRoles(db: Kysely<AccountsTables>) {
  return db.selectFrom('roles').select(columns).where('type', 'in', ['root', 'root-custom']).orderBy('id');
}
