import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { findMemberIds, lockGroupsForShare } from '../groups/groups.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockUsersForShare } from '../roles/holders.repo.ts';
import { lockRolesWithPermissionsForShare } from '../roles/roles.repo.ts';
import { findProjectGrants, replaceProjectGrants } from './project-access.repo.ts';
import {
  accessOf,
  changedHolders,
  changedRoles,
  grantedBy,
  projectAccessOrderingKey,
  type RoleHolders,
  requireCanGrant,
  requireEach,
  requireProjectRoles,
} from './project-access.ts';
import { changeAccess } from './require-project.ts';

/** Replaces all access to a project. The actor must be allowed to grant the roles whose holders change. */
export async function replaceAccess(
  resources: AccountsResources,
  { projectId: project, roles }: { projectId: string; roles: RoleHolders[] },
  context: RequestContext,
): Promise<void> {
  const { bus } = resources;
  const origin = eventOrigin(context);
  const requested = { user: grantedBy('user', roles), group: grantedBy('group', roles) };
  const after = accessOf(requested.user, requested.group);
  await changeAccess(resources, project, context, async (trx) => {
    const users = await lockUsersForShare(
      trx,
      requested.user.map(({ holderId }) => holderId),
    );
    const groups = await lockGroupsForShare(
      trx,
      requested.group.map(({ holderId }) => holderId),
    );
    roles.forEach((role, index) => {
      requireEach(`roles[${index}].users[]`, role.users, users, 'a user or a service account');
      requireEach(`roles[${index}].groups[]`, role.groups, groups, 'a group');
    });
    const current = {
      user: await findProjectGrants(trx, 'user', project),
      group: await findProjectGrants(trx, 'group', project),
    };
    const before = accessOf(current.user, current.group);
    const known = await lockRolesWithPermissionsForShare(trx, [...new Set([...roles, ...before].map(({ id }) => id))]);
    requireProjectRoles(
      roles.map(({ id }) => id),
      known,
      'roles[].id',
    );
    const changed = changedRoles(before, after);
    if (changed.size === 0) return;
    requireCanGrant(
      origin.actor,
      known.filter(({ id }) => changed.has(id)),
      project,
    );
    await replaceProjectGrants(trx, 'user', project, requested.user);
    await replaceProjectGrants(trx, 'group', project, requested.group);
    appendEvent(trx, {
      type: 'project-access-updated',
      project,
      data: { roles: after },
      preData: { roles: before },
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    });
    const members = await findMemberIds(trx, changedHolders(current.group, requested.group));
    hintAccessChanged(trx, bus, [...changedHolders(current.user, requested.user), ...members]);
  });
}
