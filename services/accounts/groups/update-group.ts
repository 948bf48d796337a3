import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { updateGroup as contract, Group } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsTables } from '../db/schema.ts';
import { holdUsers, shareHoldings } from '../roles/holders.repo.ts';
import { requireRootRole } from '../roles/role.ts';
import { holdRootRoles } from '../roles/roles.repo.ts';
import { tellAccessChanged } from '../roles/tell-access-changed.ts';
import { changeMembers } from './change-members.ts';
import {
  groupData,
  groupKey,
  groupNameTaken,
  isSameDefinition,
  membersChange,
  noGroup,
  requireMembers,
  toGroup,
} from './group.ts';
import { findMemberIds, groupNameConstraint, lockGroup, updateGroupRow } from './groups.repo.ts';

/** Replaces what a group is called, its root role and its members. Two updates at once happen one after the other, by its row's lock. */
export async function updateGroup(
  db: Database<AccountsTables>,
  bus: Bus,
  { groupId, users, ...definition }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<Group> {
  const origin = eventOrigin(context);
  const members = new Set(users.map(({ user }) => user.id));
  try {
    return await db.transaction(async (trx) => {
      await shareHoldings(trx);
      const before = await lockGroup(trx, groupId);
      if (!before) throw noGroup(groupId);
      if (definition.rootRole !== null) requireRootRole(definition.rootRole, await holdRootRoles(trx));
      requireMembers(users, await holdUsers(trx, [...members]));
      const membersBefore = await findMemberIds(trx, [before.id]);
      const change = membersChange(membersBefore, members);
      const group = { ...before, ...definition };
      const answer = { ...toGroup(group, []), userCount: members.size };
      const hasSameMembers = change.joining.length === 0 && change.leaving.length === 0;
      if (hasSameMembers && isSameDefinition(before, definition)) return answer;
      await updateGroupRow(trx, before.id, definition);
      await appendEvent(trx, {
        type: 'group-updated',
        data: groupData(group, members),
        preData: groupData(before, membersBefore),
        orderingKey: groupKey(before.id),
        ...origin,
      });
      await changeMembers(trx, before.id, change, origin);
      const isSameAccess = before.rootRole === group.rootRole;
      const concerned = isSameAccess ? [...change.joining, ...change.leaving] : members.union(membersBefore);
      tellAccessChanged(trx, bus, concerned);
      return answer;
    });
  } catch (error) {
    if (isUniqueViolation(error, groupNameConstraint)) throw groupNameTaken(definition.name);
    throw error;
  }
}
