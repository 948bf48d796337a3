import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { groupOrderingKey } from './group.ts';
import { addMembers, removeMembers } from './groups.repo.ts';

/** Lets users in and takes others out, with an event for each; the caller holds the lock of the group. */
export async function changeMembers(
  trx: Transaction<AccountsTables>,
  groupId: number,
  { joining, leaving }: { joining: readonly number[]; leaving: readonly number[] },
  origin: EventOrigin,
): Promise<void> {
  const of = { orderingKey: groupOrderingKey(groupId), ...origin };
  await removeMembers(trx, groupId, leaving);
  await addMembers(trx, groupId, joining, origin.actor.username);
  appendEvents(trx, [
    ...leaving.map((userId) => ({ type: 'group-user-removed', preData: { groupId, userId }, ...of }) as const),
    ...joining.map((userId) => ({ type: 'group-user-added', data: { groupId, userId }, ...of }) as const),
  ]);
}
