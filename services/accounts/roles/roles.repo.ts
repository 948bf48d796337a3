import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { HeldRole, StoredRole } from './role.ts';

/** Every role of the statement's `users` row: one entry a role, with the projects in which it is held, null where everywhere. */
export const heldRoles = sql<HeldRole[]>`(
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

/** The roles that a user or a service account can have as root role. */
export function findRootRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return rootRoles(db).execute();
}

/** The same, and none of them can be deleted before the transaction ends. */
export function holdRootRoles(trx: Transaction<AccountsTables>): Promise<StoredRole[]> {
  return rootRoles(trx).forKeyShare().execute();
}

function rootRoles(db: Kysely<AccountsTables>) {
  return db
    .selectFrom('roles')
    .select(['id', 'type', 'name', 'description'])
    .where('type', 'in', ['root', 'root-custom'])
    .orderBy('id');
}
