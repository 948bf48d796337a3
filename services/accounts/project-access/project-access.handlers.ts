import { inPieces, type RequestContext } from '@yardarm/shared/bus';
import type { ProjectAccess } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { roleNotFound, toRole } from '../roles/role.ts';
import { findProjectRoles, findRole } from '../roles/roles.repo.ts';
import { toUserName } from '../users/user.ts';
import { grantAccess } from './grant-access.ts';
import { findGroupsOfProject, findUsersOfProject, type RolesInProject } from './project-access.repo.ts';
import { requireProject } from './require-project.ts';

/** Who has which roles in a project, as of one moment, and the roles to choose from. */
export async function* getProjectAccess(
  { db, bus }: AccountsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
): AsyncGenerator<ProjectAccess> {
  await requireProject(bus, projectId, context);
  const { users, groups, roles } = await db.transaction(
    async (trx) => ({
      users: await findUsersOfProject(trx, projectId),
      groups: await findGroupsOfProject(trx, projectId),
      roles: await findProjectRoles(trx),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  const none = { users: [], groups: [], roles: [] };
  const toUsers = users.map((user) => ({ ...toUserName(user), ...toGiven(user) }));
  const toGroups = groups.map((group) => ({ ...group, ...toGiven(group) }));
  for (const piece of inPieces(roles.map(toRole))) yield { ...none, roles: piece };
  for (const piece of inPieces(toUsers)) yield { ...none, users: piece };
  for (const piece of inPieces(toGroups)) yield { ...none, groups: piece };
}

/** Gives one role, which the path names: it is not there before anybody is looked for. */
export async function addProjectRole(
  resources: AccountsResources,
  { projectId, roleId, users, groups }: { projectId: string; roleId: number; users: Named[]; groups: Named[] },
  context: RequestContext,
): Promise<void> {
  if (!(await findRole(resources.db.kysely, roleId))) throw roleNotFound(roleId);
  const given = { projectId, roles: [roleId], users: users.map(({ id }) => id), groups: groups.map(({ id }) => id) };
  await grantAccess(resources, given, context);
}

interface Named {
  id: number;
}

function toGiven({ roles, addedAt }: RolesInProject) {
  return { roles, addedAt: addedAt.toISOString() };
}
