import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { GroupDefinition, StoredGroup, StoredMember } from './group.ts';

export const groupNameConstraint = 'groups_name_key';

const columns = [
  ...(['id', 'name', 'description', 'mappings_sso as mappingsSSO', 'root_role as rootRole'] as const),
  ...(['created_by as createdBy', 'created_at as createdAt'] as const),
] as const;

const projects = sql<string[]>`array(
  select distinct project from project_group_roles where project_group_roles.group_id = groups.id order by project
)`;

export function findGroups(db: Kysely<AccountsTables>): Promise<StoredGroup[]> {
  return groups(db).orderBy('id').execute();
}

export async function findGroup(db: Kysely<AccountsTables>, id: number): Promise<StoredGroup | null> {
  return (await groupWithId(db, id).executeTakeFirst()) ?? null;
}

/** Locks the group for a change or deletion; concurrent changes of its members wait. */
export async function lockGroup(trx: Transaction<AccountsTables>, id: number): Promise<StoredGroup | null> {
  return (await groupWithId(trx, id).forUpdate().executeTakeFirst()) ?? null;
}

/** Returns the ids of existing groups, locked against changes and deletion until the transaction ends. */
export async function lockGroupsForShare(
  trx: Transaction<AccountsTables>,
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await trx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id')
    .forShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Rows that take some 10 ms to receive. A hundred thousand at once stop the process for 0.2 s and more. */
const membersAtOnce = 2_000;

/**
 * The members of all groups or of one, by group, without deleted users, by user id. It reads them in portions, so `trx`
 * has to read as of one moment.
 */
export async function findMembers(
  trx: Transaction<AccountsTables>,
  groupId?: number,
): Promise<Map<number, StoredMember[]>> {
  const members = new Map<number, StoredMember[]>();
  let after = { group: 0, user: 0 };
  for (;;) {
    const rows = await trx
      .selectFrom('group_users')
      .innerJoin('users', 'users.id', 'group_users.user_id')
      .select(['group_users.group_id', 'group_users.joined_at', 'group_users.created_by'])
      .select(['users.id', 'users.kind', 'users.name', 'users.username', 'users.email', 'users.root_role'])
      .where('users.deleted_at', 'is', null)
      .where(
        sql<boolean>`(group_users.group_id, group_users.user_id) > (${after.group}::integer, ${after.user}::integer)`,
      )
      .$if(groupId !== undefined, (query) => query.where('group_users.group_id', '=', groupId as number))
      .orderBy('group_users.group_id')
      .orderBy('group_users.user_id')
      .limit(membersAtOnce)
      .execute();
    for (const { group_id, joined_at, created_by, root_role, ...user } of rows) {
      const member = { groupId: group_id, joinedAt: joined_at, createdBy: created_by };
      const ofGroup = members.get(group_id) ?? [];
      members.set(group_id, ofGroup);
      ofGroup.push({ ...member, user: { ...user, rootRole: root_role } });
    }
    if (rows.length < membersAtOnce) return members;
    const last = rows.at(-1)!;
    after = { group: last.group_id, user: last.id };
  }
}

export async function findMemberIds(db: Kysely<AccountsTables>, groupIds: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('group_users')
    .select('user_id')
    .where('group_id', '=', sql<number>`any(${groupIds}::integer[])`)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Violates `groupNameConstraint` when the name is in use. */
export async function insertGroup(
  trx: Transaction<AccountsTables>,
  { name, description, mappingsSSO, rootRole }: GroupDefinition,
  createdBy: string,
): Promise<StoredGroup> {
  const group = await trx
    .insertInto('groups')
    .values({ name, description, mappings_sso: mappingsSSO, root_role: rootRole, created_by: createdBy })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return { ...group, projects: [] };
}

/** Violates `groupNameConstraint` when the name is in use. */
export async function updateGroupRow(
  trx: Transaction<AccountsTables>,
  id: number,
  { name, description, mappingsSSO, rootRole }: GroupDefinition,
): Promise<void> {
  await trx
    .updateTable('groups')
    .set({ name, description, mappings_sso: mappingsSSO, root_role: rootRole })
    .where('id', '=', id)
    .execute();
}

/** Deletes a group without members and roles. */
export async function deleteGroupRow(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  await trx.deleteFrom('groups').where('id', '=', id).execute();
}

/** The users must not be members yet. */
export async function addMembers(
  trx: Transaction<AccountsTables>,
  groupId: number,
  userIds: readonly number[],
  createdBy: string,
): Promise<void> {
  await sql`
    insert into group_users (group_id, user_id, created_by)
    select ${groupId}::integer, unnest(${userIds}::integer[]), ${createdBy}`.execute(trx);
}

export async function removeMembers(
  trx: Transaction<AccountsTables>,
  groupId: number,
  userIds: readonly number[],
): Promise<void> {
  await trx
    .deleteFrom('group_users')
    .where('group_id', '=', groupId)
    .where('user_id', '=', sql<number>`any(${userIds}::integer[])`)
    .execute();
}

/** Removes a user from all groups. Returns the ids of those groups, sorted. */
export async function removeFromGroups(trx: Transaction<AccountsTables>, userId: number): Promise<number[]> {
  const rows = await trx.deleteFrom('group_users').where('user_id', '=', userId).returning('group_id').execute();
  return rows.map(({ group_id }) => group_id).sort((a, b) => a - b);
}

function groups(db: Kysely<AccountsTables>) {
  return db.selectFrom('groups').select(columns).select(projects.as('projects'));
}

function groupWithId(db: Kysely<AccountsTables>, id: number) {
  // The cast allows ids beyond the range of the column; they match no row.
  return groups(db).where('id', '=', sql<number>`${id}::bigint`);
}
