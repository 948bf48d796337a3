import type { RequestContext } from '@yardarm/shared/bus';
import type { createGroup as contract, Group } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockAccessForShare, lockUsersForShare } from '../roles/holders.repo.ts';
import { requireRootRole } from '../roles/role.ts';
import { lockRootRolesForShare } from '../roles/roles.repo.ts';
import { changeMembers } from './change-members.ts';
import { groupEventData, groupNameTaken, groupOrderingKey, membersChange, requireMembers, toGroup } from './group.ts';
import { groupNameConstraint, insertGroup } from './groups.repo.ts';

/** Creates a group. The unique index decides between concurrent creations of the same name. */
export async function createGroup(
  { db, bus }: AccountsResources,
  { users, ...definition }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<Group> {
  const origin = eventOrigin(context);
  const members = new Set(users.map(({ user }) => user.id));
  try {
    return await db.transaction(async (trx) => {
      await lockAccessForShare(trx);
      if (definition.rootRole !== null) requireRootRole(definition.rootRole, await lockRootRolesForShare(trx));
      requireMembers(users, await lockUsersForShare(trx, [...members]));
      const group = await insertGroup(trx, definition, origin.actor.username);
      const data = groupEventData(group, members);
      appendEvent(trx, { type: 'group-created', data, orderingKey: groupOrderingKey(group.id), ...origin });
      await changeMembers(trx, group.id, membersChange(new Set(), members), origin);
      hintAccessChanged(trx, bus, members);
      return { ...toGroup(group, []), userCount: members.size };
    });
  } catch (error) {
    if (isUniqueViolation(error, groupNameConstraint)) throw groupNameTaken(definition.name);
    throw error;
  }
}
