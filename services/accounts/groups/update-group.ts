import type { RequestContext } from '@yardarm/shared/bus';
import type { updateGroup as contract, Group } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockAccessForShare, lockUsersForShare } from '../roles/holders.repo.ts';
import { requireRootRole } from '../roles/role.ts';
import { lockRootRolesForShare } from '../roles/roles.repo.ts';
import { changeMembers } from './change-members.ts';
import {
  definitionAfter,
  groupEventData,
  groupNameTaken,
  groupNotFound,
  groupOrderingKey,
  isSameDefinition,
  membersChange,
  requireMembers,
  toGroup,
} from './group.ts';
import { findMemberIds, groupNameConstraint, lockGroup, updateGroupRow } from './groups.repo.ts';

/** Absent properties stay. The lock of its row serializes concurrent updates. */
export async function updateGroup(
  { db, bus }: AccountsResources,
  { groupId, users, ...change }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<Group> {
  const origin = eventOrigin(context);
  try {
    return await db.transaction(async (trx) => {
      await lockAccessForShare(trx);
      const before = await lockGroup(trx, groupId);
      if (!before) throw groupNotFound(groupId);
      const definition = definitionAfter(before, change);
      if (change.rootRole != null) requireRootRole(change.rootRole, await lockRootRolesForShare(trx));
      const membersBefore = await findMemberIds(trx, [before.id]);
      const members = users ? new Set(users.map(({ user }) => user.id)) : membersBefore;
      if (users) requireMembers(users, await lockUsersForShare(trx, [...members]));
      const { joining, leaving } = membersChange(membersBefore, members);
      const group = { ...before, ...definition };
      const answer = { ...toGroup(group, []), userCount: members.size };
      const hasSameMembers = joining.length === 0 && leaving.length === 0;
      if (hasSameMembers && isSameDefinition(before, definition)) return answer;
      await updateGroupRow(trx, before.id, definition);
      appendEvent(trx, {
        type: 'group-updated',
        data: groupEventData(group, members),
        preData: groupEventData(before, membersBefore),
        orderingKey: groupOrderingKey(before.id),
        ...origin,
      });
      await changeMembers(trx, before.id, { joining, leaving }, origin);
      const isSameAccess = before.rootRole === group.rootRole;
      const affected = isSameAccess ? [...joining, ...leaving] : members.union(membersBefore);
      hintAccessChanged(trx, bus, affected);
      return answer;
    });
  } catch (error) {
    if (isUniqueViolation(error, groupNameConstraint)) throw groupNameTaken(change.name);
    throw error;
  }
}
