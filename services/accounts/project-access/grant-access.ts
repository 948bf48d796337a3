import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { findMemberIds, lockGroupsForShare } from '../groups/groups.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockUsersForShare } from '../roles/holders.repo.ts';
import { lockRolesWithPermissionsForShare } from '../roles/roles.repo.ts';
import { grantRoles } from './project-access.repo.ts';
import { projectAccessOrderingKey, requireCanGrant, requireEach, requireProjectRoles } from './project-access.ts';
import { changeAccess } from './require-project.ts';

/** Grants additional roles in a project. The event leaves out users and groups that already had all of them. */
export async function grantAccess(
  resources: AccountsResources,
  {
    projectId: project,
    roles,
    users,
    groups,
  }: { projectId: string; roles: number[]; users: number[]; groups: number[] },
  context: RequestContext,
): Promise<void> {
  const { bus } = resources;
  const origin = eventOrigin(context);
  await changeAccess(resources, project, context, async (trx) => {
    requireEach('users[]', users, await lockUsersForShare(trx, users), 'a user or a service account');
    requireEach('groups[]', groups, await lockGroupsForShare(trx, groups), 'a group');
    const granted = await lockRolesWithPermissionsForShare(trx, roles);
    requireProjectRoles(roles, granted);
    requireCanGrant(origin.actor, granted, project);
    const roleIds = granted.map(({ id }) => id);
    const newUsers = await grantRoles(trx, 'user', project, users, roleIds);
    const newGroups = await grantRoles(trx, 'group', project, groups, roleIds);
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
