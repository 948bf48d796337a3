import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { lockAccessForShare } from '../roles/holders.repo.ts';
import type { StoredUser } from '../users/user.ts';
import { type HolderKind, type ProjectGrant, projectAccessOrderingKey } from './project-access.ts';

/** Roles in projects are in two tables of the same shape. */
const tables = {
  user: { table: sql.table('project_user_roles'), holder: sql.ref('user_id') },
  group: { table: sql.table('project_group_roles'), holder: sql.ref('group_id') },
} as const satisfies Record<HolderKind, unknown>;

/** The roles of one user or group in a project, and when the first of them was granted. */
export interface RolesInProject {
  roles: number[];
  addedAt: Date;
}

/** Locks the access to a project until the transaction ends. Projects have no row here that could be locked. */
export async function lockProjectAccess(trx: Transaction<AccountsTables>, project: string): Promise<void> {
  await lockAccessForShare(trx);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`yardarm accounts: ${projectAccessOrderingKey(project)}`}, 0))`.execute(
    trx,
  );
}

/** The ids of the roles granted to a user or group itself in a project, sorted. */
export async function findRolesOf(
  db: Kysely<AccountsTables>,
  kind: HolderKind,
  project: string,
  holderId: number,
): Promise<number[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ role_id: number }>`
    select role_id from ${table} where project = ${project} and ${holder} = ${holderId} order by role_id`.execute(db);
  return rows.map(({ role_id }) => role_id);
}

/** Grants all of the roles to all of the holders. Returns the holders that lacked at least one of them, sorted. */
export async function grantRoles(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  project: string,
  holderIds: readonly number[],
  roleIds: readonly number[],
): Promise<number[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ id: number }>`
    with inserted as (
      insert into ${table} (project, ${holder}, role_id)
      select ${project}, holder_id, role_id from unnest(${holderIds}::integer[]) as h (holder_id)
        cross join unnest(${roleIds}::integer[]) as r (role_id)
      on conflict do nothing
      returning ${holder} as id
    )
    select distinct id from inserted order by id`.execute(trx);
  return rows.map(({ id }) => id);
}

export async function revokeRoles(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  project: string,
  holderId: number,
  roleIds: readonly number[],
): Promise<void> {
  const { table, holder } = tables[kind];
  await sql`
    delete from ${table}
    where project = ${project} and ${holder} = ${holderId} and role_id = any(${roleIds}::integer[])`.execute(trx);
}

export async function findProjectGrants(
  db: Kysely<AccountsTables>,
  kind: HolderKind,
  project: string,
): Promise<ProjectGrant[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ role_id: number; holder_id: number }>`
    select role_id, ${holder} as holder_id from ${table} where project = ${project}`.execute(db);
  return rows.map(({ role_id, holder_id }) => ({ roleId: role_id, holderId: holder_id }));
}

/** Replaces all grants in the project to holders of this kind. Grants that stay keep their `added_at`. */
export async function replaceProjectGrants(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  project: string,
  grants: readonly ProjectGrant[],
): Promise<void> {
  const { table, holder } = tables[kind];
  const holderIds = grants.map(({ holderId }) => holderId);
  const roleIds = grants.map(({ roleId }) => roleId);
  const requested = sql`select * from unnest(${holderIds}::integer[], ${roleIds}::integer[])`;
  await sql`delete from ${table} where project = ${project} and (${holder}, role_id) not in (${requested})`.execute(
    trx,
  );
  await sql`
    insert into ${table} (project, ${holder}, role_id) select ${project}, requested.* from (${requested}) as requested
    on conflict do nothing`.execute(trx);
}

/** Revokes every role in every project from a user or group. Returns the roles that it had itself, by project. */
export async function deleteRolesInProjects(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  holderId: number,
): Promise<{ project: string; roles: number[] }[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ project: string; roles: number[] }>`
    with deleted as (delete from ${table} where ${holder} = ${holderId} returning project, role_id)
    select project, array_agg(role_id order by role_id) as roles from deleted group by project order by project`.execute(
    trx,
  );
  return rows;
}

/** Revokes every role in a project from the users or groups. Returns the roles that each had itself. */
export async function deleteRolesOfProject(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  project: string,
): Promise<{ id: number; roles: number[] }[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ id: number; roles: number[] }>`
    with deleted as (delete from ${table} where project = ${project} returning ${holder} as id, role_id)
    select id, array_agg(role_id order by role_id) as roles from deleted group by id order by id`.execute(trx);
  return rows;
}

type NamedUser = Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email'>;

/** Every user and service account, deleted ones excepted, with roles of its own in the project. */
export async function findUsersOfProject(
  db: Kysely<AccountsTables>,
  project: string,
): Promise<(NamedUser & RolesInProject)[]> {
  return db
    .selectFrom('project_user_roles')
    .innerJoin('users', 'users.id', 'project_user_roles.user_id')
    .select(['users.id', 'users.kind', 'users.name', 'users.username', 'users.email'])
    .select([
      sql<number[]>`array_agg(role_id order by role_id)`.as('roles'),
      sql<Date>`min(project_user_roles.added_at)`.as('addedAt'),
    ])
    .where('project', '=', project)
    .where('users.deleted_at', 'is', null)
    .groupBy('users.id')
    .orderBy('users.id')
    .execute();
}

export async function findGroupsOfProject(
  db: Kysely<AccountsTables>,
  project: string,
): Promise<({ id: number; name: string; description: string | null; userCount: number } & RolesInProject)[]> {
  return db
    .selectFrom('project_group_roles')
    .innerJoin('groups', 'groups.id', 'project_group_roles.group_id')
    .select(['groups.id', 'groups.name', 'groups.description'])
    .select([
      sql<number[]>`array_agg(role_id order by role_id)`.as('roles'),
      sql<Date>`min(project_group_roles.added_at)`.as('addedAt'),
      sql<number>`(select count(*) from group_users where group_users.group_id = groups.id)`.as('userCount'),
    ])
    .where('project', '=', project)
    .groupBy('groups.id')
    .orderBy('groups.id')
    .execute();
}
