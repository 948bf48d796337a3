import type { AccessRow } from '@yardarm/shared/contracts/accounts';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

interface Row {
  id: number;
  kind: 'user' | 'service-account';
  name: string | null;
  username: string | null;
  email: string | null;
  created_at: Date;
  seen_at: Date | null;
  root_role: string;
  groups: string[];
  project_roles: AccessRow['projectRoles'];
}

/** All users and their roles, from one snapshot. `seenAt` is the last login or the last use of a token. */
export async function findAccess(db: Kysely<AccountsTables>): Promise<AccessRow[]> {
  const { rows } = await sql<Row>`
    select users.id, users.kind, users.name, users.username, users.email, users.created_at, roles.name as root_role,
      greatest(users.seen_at, (select max(seen_at) from tokens where tokens.user_id = users.id)) as seen_at,
      array(
        select groups.name from group_users join groups on groups.id = group_users.group_id
        where group_users.user_id = users.id order by groups.name
      ) as groups,
      (
        select coalesce(json_agg(project_role order by project, role), '[]') from (
          select project, roles.name as role, null as "group"
            from project_user_roles join roles on roles.id = role_id where user_id = users.id
          union all
          select project, roles.name, groups.name
            from group_users join project_group_roles using (group_id) join groups on groups.id = group_id
              join roles on roles.id = role_id
            where user_id = users.id
        ) as project_role
      ) as project_roles
    from users join roles on roles.id = users.root_role
    where users.deleted_at is null
    order by users.id`.execute(db);
  return rows.map((row) => ({
    userId: row.id,
    accountType: row.kind === 'user' ? 'User' : 'Service Account',
    name: row.name,
    username: row.username,
    email: row.email,
    createdAt: row.created_at.toISOString(),
    seenAt: row.seen_at?.toISOString() ?? null,
    rootRole: row.root_role,
    groups: row.groups,
    projectRoles: row.project_roles,
  }));
}
