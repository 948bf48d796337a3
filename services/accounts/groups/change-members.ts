import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { groupOrderingKey } from './group.ts';
import { addMembers, removeMembers } from './groups.repo.ts';

/** Adds and removes members, with an event for each. The caller has locked the group. */
export async function changeMembers(
  trx: Transaction<AccountsTables>,
  groupId: number,
  { joining, leaving }: { joining: readonly number[]; leaving: readonly number[] },
  origin: EventOrigin,
): Promise<void> {
  const common = { orderingKey: groupOrderingKey(groupId), ...origin };
  await removeMembers(trx, groupId, leaving);
  await addMembers(trx, groupId, joining, origin.actor.username);
  appendEvents(trx, [
    ...leaving.map((userId) => ({ type: 'group-user-removed', preData: { groupId, userId }, ...common }) as const),
    ...joining.map((userId) => ({ type: 'group-user-added', data: { groupId, userId }, ...common }) as const),
  ]);
}
