import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { appendEvent, type Database, eventOrigin } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { tellAccessChanged } from '../roles/tell-access-changed.ts';
import { groupData, groupKey, noGroup } from './group.ts';
import { deleteGroupRow, findMemberIds, lockGroup } from './groups.repo.ts';

/** Deletes a group. One event tells it: memberships and roles in projects go with it without events of their own. */
export async function deleteGroup(
  db: Database<AccountsTables>,
  bus: Bus,
  { groupId }: { groupId: number },
  context: RequestContext,
): Promise<void> {
  await db.transaction(async (trx) => {
    const group = await lockGroup(trx, groupId);
    if (!group) throw noGroup(groupId);
    const members = await findMemberIds(trx, [group.id]);
    await deleteGroupRow(trx, group.id);
    await appendEvent(trx, {
      type: 'group-deleted',
      preData: groupData(group, members),
      orderingKey: groupKey(group.id),
      ...eventOrigin(context),
    });
    tellAccessChanged(trx, bus, members);
  });
}
