import type { ProjectAccessSummary } from '@yardarm/shared/contracts/accounts';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { ownerRoleId } from '../roles/role.ts';
import type { StoredUser } from '../users/user.ts';

export interface StoredAccessSummary extends Omit<ProjectAccessSummary, 'owners'> {
  userOwners: Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email'>[];
  groupOwners: string[];
}

/**
 * The owners, members and API tokens of these projects, or of all. Deleted users are left out. Each part is grouped by
 * project once, and the parts are added up: whatever plan Postgres takes, no member is read once for each project.
 */
export async function findAccessSummaries(
  db: Kysely<AccountsTables>,
  projects: readonly string[] | null,
): Promise<StoredAccessSummary[]> {
  const isAsked = (column: string) =>
    projects === null ? sql`true` : sql`${sql.ref(column)} = any(${projects}::text[])`;
  const { rows } = await sql<StoredAccessSummary>`
    with direct as (
      select r.project, r.user_id, min(r.added_at) as added_at, bool_or(r.role_id = ${ownerRoleId}) as is_owner
      from project_user_roles r join users u on u.id = r.user_id and u.deleted_at is null
      where ${isAsked('r.project')}
      group by r.project, r.user_id
    ), groups_there as (
      select r.project, r.group_id, bool_or(r.role_id = ${ownerRoleId}) as is_owner
      from project_group_roles r where ${isAsked('r.project')}
      group by r.project, r.group_id
    ), members as (
      select project, user_id from direct
      union
      select g.project, gu.user_id
      from groups_there g join group_users gu using (group_id)
      join users u on u.id = gu.user_id and u.deleted_at is null
    ), parts as (
      select
        project, count(*) as members, 0 as direct, 0 as added, 0 as tokens,
        null::json as user_owners, null::json as group_owners
      from members group by project
      union all
      select project, 0, count(*), count(*) filter (where added_at > now() - interval '30 days'), 0, null, null
      from direct group by project
      union all
      select project, 0, 0, 0, 0, json_agg(json_build_object(
        'id', u.id, 'kind', u.kind, 'name', u.name, 'username', u.username, 'email', u.email
      ) order by u.id), null
      from direct join users u on u.id = direct.user_id where direct.is_owner
      group by project
      union all
      select project, 0, 0, 0, 0, null, json_agg(g.name order by g.name) filter (where is_owner)
      from groups_there join groups g on g.id = groups_there.group_id
      group by project
      union all
      select project, 0, 0, 0, count(*), null, null
      from tokens cross join unnest(projects) as project
      where kind in ('client', 'frontend') and ${isAsked('project')} and project <> '*'
      group by project
    )
    select
      project, sum(members)::integer as members, sum(direct)::integer as "directMembers",
      sum(added)::integer as "addedMembers", sum(tokens)::integer as "apiTokens",
      coalesce((array_agg(user_owners) filter (where user_owners is not null))[1], '[]') as "userOwners",
      coalesce((array_agg(group_owners) filter (where group_owners is not null))[1], '[]') as "groupOwners"
    from parts
    group by project
    order by project`.execute(db);
  return rows;
}
