import type { ProjectAccessSummary } from '@yardarm/shared/contracts/accounts';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { ownerRoleId } from '../roles/role.ts';
import type { StoredUser } from '../users/user.ts';

type Counts = Omit<ProjectAccessSummary, 'owners'>;

/** The owners, members and API tokens of these projects, or of all. Deleted users are left out. */
export async function findAccessSummaries(
  db: Kysely<AccountsTables>,
  projects: readonly string[] | null,
): Promise<
  (Counts & {
    userOwners: Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email'>[];
    groupOwners: string[];
  })[]
> {
  const isAsked = (column: string) =>
    projects === null ? sql`true` : sql`${sql.ref(column)} = any(${projects}::text[])`;
  const { rows } = await sql<
    Counts & {
      userOwners: Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email'>[];
      groupOwners: string[];
    }
  >`
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
    ), tokens_there as (
      select project, count(*)::integer as count
      from tokens cross join unnest(projects) as project
      where kind in ('client', 'frontend') and ${isAsked('project')} and project <> '*'
      group by project
    ), known as (
      select project from direct union select project from groups_there union select project from tokens_there
    )
    select
      project,
      (select count(*)::integer from members where members.project = known.project) as members,
      (select count(*)::integer from direct where direct.project = known.project) as "directMembers",
      (
        select count(*)::integer from direct
        where direct.project = known.project and added_at > now() - interval '30 days'
      ) as "addedMembers",
      coalesce((select count from tokens_there where tokens_there.project = known.project), 0) as "apiTokens",
      (
        select coalesce(json_agg(json_build_object(
          'id', u.id, 'kind', u.kind, 'name', u.name, 'username', u.username, 'email', u.email
        ) order by u.id), '[]')
        from direct join users u on u.id = direct.user_id where direct.project = known.project and direct.is_owner
      ) as "userOwners",
      (
        select coalesce(json_agg(g.name order by g.name), '[]')
        from groups_there join groups g on g.id = groups_there.group_id
        where groups_there.project = known.project and groups_there.is_owner
      ) as "groupOwners"
    from known
    order by project`.execute(db);
  return rows;
}
