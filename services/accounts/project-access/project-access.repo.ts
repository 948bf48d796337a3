import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { shareHoldings } from '../roles/holders.repo.ts';
import type { StoredUser } from '../users/user.ts';
import { type HolderKind, type ProjectGrant, projectAccessOrderingKey } from './project-access.ts';

/** Roles in projects stand in two tables of one shape. */
const tables = {
  user: { table: sql.table('project_user_roles'), holder: sql.ref('user_id') },
  group: { table: sql.table('project_group_roles'), holder: sql.ref('group_id') },
} as const satisfies Record<HolderKind, unknown>;

/** The roles of one holder in a project, and since when there is any. */
export interface RolesInProject {
  roles: number[];
  addedAt: Date;
}

/** Until the transaction ends no other changes the access to this project. Projects have no row here that could be locked. */
export async function lockProjectAccess(trx: Transaction<AccountsTables>, project: string): Promise<void> {
  await shareHoldings(trx);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`yardarm accounts: ${projectAccessOrderingKey(project)}`}, 0))`.execute(
    trx,
  );
}

/** The ids of the roles that a user or group has in a project by itself, sorted. */
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

/** Gives each of the holders each of the roles; answers who of them did not have one of them yet, sorted. */
export async function giveRoles(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  project: string,
  holderIds: readonly number[],
  roleIds: readonly number[],
): Promise<number[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ id: number }>`
    with given as (
      insert into ${table} (project, ${holder}, role_id)
      select ${project}, holder_id, role_id from unnest(${holderIds}::integer[]) as h (holder_id)
        cross join unnest(${roleIds}::integer[]) as r (role_id)
      on conflict do nothing
      returning ${holder} as id
    )
    select distinct id from given order by id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Takes these roles in a project from a user or group. */
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

/** Every role that somebody of this kind has in the project by themselves. */
export async function findHeldRoles(
  db: Kysely<AccountsTables>,
  kind: HolderKind,
  project: string,
): Promise<ProjectGrant[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ role_id: number; holder_id: number }>`
    select role_id, ${holder} as holder_id from ${table} where project = ${project}`.execute(db);
  return rows.map(({ role_id, holder_id }) => ({ roleId: role_id, holderId: holder_id }));
}

/** Makes these the roles that anybody of this kind has in the project; what stays keeps the moment since when it is. */
export async function replaceHeldRoles(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  project: string,
  held: readonly ProjectGrant[],
): Promise<void> {
  const { table, holder } = tables[kind];
  const holderIds = held.map(({ holderId }) => holderId);
  const roleIds = held.map(({ roleId }) => roleId);
  const asked = sql`select * from unnest(${holderIds}::integer[], ${roleIds}::integer[])`;
  await sql`delete from ${table} where project = ${project} and (${holder}, role_id) not in (${asked})`.execute(trx);
  await sql`
    insert into ${table} (project, ${holder}, role_id) select ${project}, asked.* from (${asked}) as asked
    on conflict do nothing`.execute(trx);
}

/** Takes every role in every project from a user or group; the roles that it had by itself, project by project. */
export async function revokeEveryRole(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  holderId: number,
): Promise<{ project: string; roles: number[] }[]> {
  const { table, holder } = tables[kind];
  const { rows } = await sql<{ project: string; roles: number[] }>`
    with taken as (delete from ${table} where ${holder} = ${holderId} returning project, role_id)
    select project, array_agg(role_id order by role_id) as roles from taken group by project order by project`.execute(
    trx,
  );
  return rows;
}

type NamedUser = Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email'>;

/** Every living user and service account with a role of their own in the project. */
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

/** Every group with a role in the project. */
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
