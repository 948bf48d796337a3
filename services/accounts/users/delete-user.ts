import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { lockAccess } from '../roles/holders.repo.ts';
import { adminRoleId } from '../roles/role.ts';
import { removeUser } from './remove-user.ts';
import { lastAdmin, refuseDeletingOneself, userEventData, userNotFound, userOrderingKey } from './user.ts';
import { hasOtherAdmin, lockAdmins, lockUser } from './users.repo.ts';

export async function deleteUser(
  { db, bus }: AccountsResources,
  { userId }: { userId: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  refuseDeletingOneself(userId, origin.actor);
  await db.transaction(async (trx) => {
    await lockAccess(trx);
    await lockAdmins(trx);
    const stored = await lockUser(trx, userId, 'user');
    if (!stored) throw userNotFound(userId);
    if (stored.rootRole === adminRoleId && !(await hasOtherAdmin(trx, userId))) throw lastAdmin(userId);
    await removeUser(trx, bus, userId, origin);
    appendEvent(trx, {
      type: 'user-deleted',
      preData: userEventData(stored),
      orderingKey: userOrderingKey(userId),
      ...origin,
    });
  });
}
