import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { findMemberIds, lockGroupsForShare } from '../groups/groups.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockUsersForShare } from '../roles/holders.repo.ts';
import { lockRolesWithPermissionsForShare } from '../roles/roles.repo.ts';
import { findRolesOf, grantRoles, revokeRoles } from './project-access.repo.ts';
import {
  type HolderKind,
  holderNotFound,
  projectAccessOrderingKey,
  requireCanGrant,
  requireProjectRoles,
  rolesEventData,
} from './project-access.ts';
import { changeAccess } from './require-project.ts';

export function setUserProjectRoles(
  resources: AccountsResources,
  { userId, ...input }: { projectId: string; userId: number; roles: number[] },
  context: RequestContext,
): Promise<void> {
  return setProjectRoles(resources, 'user', { ...input, holderId: userId }, context);
}

export function setGroupProjectRoles(
  resources: AccountsResources,
  { groupId, ...input }: { projectId: string; groupId: number; roles: number[] },
  context: RequestContext,
): Promise<void> {
  return setProjectRoles(resources, 'group', { ...input, holderId: groupId }, context);
}

/**
 * Replaces the roles of one holder; an empty list revokes all. The actor must be allowed to grant those that change.
 */
async function setProjectRoles(
  resources: AccountsResources,
  kind: HolderKind,
  { projectId: project, holderId, roles }: { projectId: string; holderId: number; roles: number[] },
  context: RequestContext,
): Promise<void> {
  const { bus } = resources;
  const origin = eventOrigin(context);
  await changeAccess(resources, project, context, async (trx) => {
    const found =
      kind === 'user' ? await lockUsersForShare(trx, [holderId]) : await lockGroupsForShare(trx, [holderId]);
    if (!found.has(holderId)) throw holderNotFound(kind, holderId);
    const before = new Set(await findRolesOf(trx, kind, project, holderId));
    const after = new Set(roles);
    const affected = await lockRolesWithPermissionsForShare(trx, [...before.union(after)]);
    requireProjectRoles(roles, affected);
    const changed = affected.filter(({ id }) => before.has(id) !== after.has(id));
    if (changed.length === 0) return;
    requireCanGrant(origin.actor, changed, project);
    await revokeRoles(trx, kind, project, holderId, [...before.difference(after)]);
    await grantRoles(trx, kind, project, [holderId], [...after]);
    appendEvent(trx, {
      type: `project-access-${kind}-roles-${after.size === 0 ? 'deleted' : 'updated'}`,
      project,
      data:
        after.size === 0
          ? null
          : rolesEventData(
              kind,
              holderId,
              [...after].sort((a, b) => a - b),
            ),
      preData: rolesEventData(kind, holderId, [...before]),
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    });
    hintAccessChanged(trx, bus, kind === 'user' ? [holderId] : await findMemberIds(trx, [holderId]));
  });
}
