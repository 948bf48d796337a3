import { type EncodedAnswer, encodeAnswer, type RequestContext, type ServedContext } from '@yardarm/shared/bus';
import {
  type ProjectAccess,
  type ProjectAccessSummary,
  summarizeProjectAccess as summaryContract,
} from '@yardarm/shared/contracts/accounts';
import { TimeSlicer } from '@yardarm/shared/waiting';
import { runLongRead } from '../long-reads.ts';
import type { AccountsResources } from '../resources.ts';
import { roleNotFound, toRole } from '../roles/role.ts';
import { findProjectRoles, findRole } from '../roles/roles.repo.ts';
import { toUserName } from '../users/user.ts';
import { findAccessSummaries, type StoredAccessSummary } from './access-summaries.repo.ts';
import { grantAccess } from './grant-access.ts';
import { findGroupsOfProject, findUsersOfProject, type RolesInProject } from './project-access.repo.ts';
import { requireProject } from './require-project.ts';

/** The users and groups with roles in a project and all project roles, from one snapshot. */
export async function getProjectAccess(
  { db, bus }: AccountsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
): Promise<ProjectAccess> {
  await requireProject(bus, projectId, context);
  const { users, groups, roles } = await db.transaction(
    async (trx) => ({
      users: await findUsersOfProject(trx, projectId),
      groups: await findGroupsOfProject(trx, projectId),
      roles: await findProjectRoles(trx),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  return {
    users: users.map((user) => ({ ...toUserName(user), ...toGrantedRoles(user) })),
    groups: groups.map((group) => ({ ...group, ...toGrantedRoles(group) })),
    roles: roles.map(toRole),
  };
}

export function summarizeProjectAccess(
  { db }: AccountsResources,
  { projects }: { projects: string[] | null },
  context: ServedContext,
): Promise<EncodedAnswer> {
  return runLongRead(context, async () => {
    const slicer = new TimeSlicer(context);
    const summaries = await slicer.map(await findAccessSummaries(db.kysely, projects), toSummary);
    return await encodeAnswer(summaryContract, { summaries }, () => slicer.next());
  });
}

function toSummary({ userOwners, groupOwners, ...summary }: StoredAccessSummary): ProjectAccessSummary {
  const users = userOwners.map((user) => ({
    ownerType: 'user' as const,
    name: user.name || user.username || user.email || 'unknown',
    email: user.email,
    imageUrl: toUserName(user).imageUrl,
  }));
  return { ...summary, owners: [...users, ...groupOwners.map((name) => ({ ownerType: 'group' as const, name }))] };
}

/** Grants one role. The path names the role, so a missing role is reported before a missing user or group. */
export async function addProjectRole(
  resources: AccountsResources,
  { projectId, roleId, users, groups }: { projectId: string; roleId: number; users: WithId[]; groups: WithId[] },
  context: RequestContext,
): Promise<void> {
  if (!(await findRole(resources.db.kysely, roleId))) throw roleNotFound(roleId);
  const grants = { projectId, roles: [roleId], users: users.map(({ id }) => id), groups: groups.map(({ id }) => id) };
  await grantAccess(resources, grants, context);
}

interface WithId {
  id: number;
}

function toGrantedRoles({ roles, addedAt }: RolesInProject) {
  return { roles, addedAt: addedAt.toISOString() };
}
