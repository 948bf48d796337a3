import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { findMemberIds, holdGroups } from '../groups/groups.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { holdUsers } from '../roles/holders.repo.ts';
import { holdRolesWithPermissions } from '../roles/roles.repo.ts';
import { findHeldRoles, lockProjectAccess, replaceHeldRoles } from './project-access.repo.ts';
import {
  accessOf,
  grantedBy,
  holdersChanging,
  projectAccessOrderingKey,
  type RoleHolders,
  requireEach,
  requireMayGrant,
  requireProjectRoles,
  rolesChanging,
} from './project-access.ts';
import { requireProject } from './require-project.ts';

/** Makes this the access to a project, and no other: whoever is not named has none. Only roles that change hands must be the actor's to give. */
export async function replaceAccess(
  { db, bus }: AccountsResources,
  { projectId: project, roles }: { projectId: string; roles: RoleHolders[] },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  await requireProject(bus, project, context);
  const asked = { user: grantedBy('user', roles), group: grantedBy('group', roles) };
  const after = accessOf(asked.user, asked.group);
  await db.transaction(async (trx) => {
    await lockProjectAccess(trx, project);
    const users = await holdUsers(
      trx,
      asked.user.map(({ holderId }) => holderId),
    );
    const groups = await holdGroups(
      trx,
      asked.group.map(({ holderId }) => holderId),
    );
    roles.forEach((role, index) => {
      requireEach(`roles[${index}].users[]`, role.users, users, 'a user or a service account');
      requireEach(`roles[${index}].groups[]`, role.groups, groups, 'a group');
    });
    const held = { user: await findHeldRoles(trx, 'user', project), group: await findHeldRoles(trx, 'group', project) };
    const before = accessOf(held.user, held.group);
    const known = await holdRolesWithPermissions(trx, [...new Set([...roles, ...before].map(({ id }) => id))]);
    requireProjectRoles(
      roles.map(({ id }) => id),
      known,
      'roles[].id',
    );
    const changing = rolesChanging(before, after);
    if (changing.size === 0) return;
    requireMayGrant(
      origin.actor,
      known.filter(({ id }) => changing.has(id)),
      project,
    );
    await replaceHeldRoles(trx, 'user', project, asked.user);
    await replaceHeldRoles(trx, 'group', project, asked.group);
    appendEvent(trx, {
      type: 'project-access-updated',
      project,
      data: { roles: after },
      preData: { roles: before },
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    });
    const members = await findMemberIds(trx, holdersChanging(held.group, asked.group));
    hintAccessChanged(trx, bus, [...holdersChanging(held.user, asked.user), ...members]);
  });
}
