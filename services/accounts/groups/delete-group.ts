import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { revokeEveryRole } from '../project-access/revoke-every-role.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockAccess } from '../roles/holders.repo.ts';
import { changeMembers } from './change-members.ts';
import { groupEventData, groupNotFound, groupOrderingKey, membersChange } from './group.ts';
import { deleteGroupRow, findMemberIds, lockGroup } from './groups.repo.ts';

/** Deletes a group. Its memberships and roles in projects are removed first, each with an event. */
export async function deleteGroup(
  { db, bus }: AccountsResources,
  { groupId }: { groupId: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  await db.transaction(async (trx) => {
    await lockAccess(trx);
    const group = await lockGroup(trx, groupId);
    if (!group) throw groupNotFound(groupId);
    const members = await findMemberIds(trx, [group.id]);
    await changeMembers(trx, group.id, membersChange(members, new Set()), origin);
    await revokeEveryRole(trx, 'group', group.id, origin);
    await deleteGroupRow(trx, group.id);
    appendEvent(trx, {
      type: 'group-deleted',
      preData: groupEventData(group, members),
      orderingKey: groupOrderingKey(group.id),
      ...origin,
    });
    hintAccessChanged(trx, bus, members);
  });
}
