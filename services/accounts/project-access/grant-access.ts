import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { findMemberIds, holdGroups } from '../groups/groups.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { holdUsers } from '../roles/holders.repo.ts';
import { holdRolesWithPermissions } from '../roles/roles.repo.ts';
import { giveRoles, lockProjectAccess } from './project-access.repo.ts';
import { projectAccessOrderingKey, requireEach, requireMayGrant, requireProjectRoles } from './project-access.ts';
import { requireProject } from './require-project.ts';

/** Gives users and groups roles in a project. Roles that they have stay, and who had all of them already is in no event. */
export async function grantAccess(
  { db, bus }: AccountsResources,
  {
    projectId: project,
    roles,
    users,
    groups,
  }: { projectId: string; roles: number[]; users: number[]; groups: number[] },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  await requireProject(bus, project, context);
  await db.transaction(async (trx) => {
    await lockProjectAccess(trx, project);
    requireEach('users[]', users, await holdUsers(trx, users), 'a user or a service account');
    requireEach('groups[]', groups, await holdGroups(trx, groups), 'a group');
    const given = await holdRolesWithPermissions(trx, roles);
    requireProjectRoles(roles, given);
    requireMayGrant(origin.actor, given, project);
    const roleIds = given.map(({ id }) => id);
    const newUsers = await giveRoles(trx, 'user', project, users, roleIds);
    const newGroups = await giveRoles(trx, 'group', project, groups, roleIds);
    if (newUsers.length === 0 && newGroups.length === 0) return;
    appendEvent(trx, {
      type: 'project-access-added',
      project,
      data: { roles: roleIds, groups: newGroups, users: newUsers },
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    });
    hintAccessChanged(trx, bus, [...newUsers, ...(await findMemberIds(trx, newGroups))]);
  });
}
