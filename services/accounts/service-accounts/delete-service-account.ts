import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { lockAccess } from '../roles/holders.repo.ts';
import { removeUser } from '../users/remove-user.ts';
import { refuseDeletingOneself, userOrderingKey } from '../users/user.ts';
import { lockUser } from '../users/users.repo.ts';
import { asServiceAccount, serviceAccountEventData, serviceAccountNotFound } from './service-account.ts';

export async function deleteServiceAccount(
  { db, bus }: AccountsResources,
  { serviceAccountId }: { serviceAccountId: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  refuseDeletingOneself(serviceAccountId, origin.actor);
  await db.transaction(async (trx) => {
    await lockAccess(trx);
    const stored = await lockUser(trx, serviceAccountId, 'service-account');
    if (!stored) throw serviceAccountNotFound(serviceAccountId);
    await removeUser(trx, bus, serviceAccountId, origin);
    appendEvent(trx, {
      type: 'service-account-deleted',
      preData: serviceAccountEventData(asServiceAccount(stored)),
      orderingKey: userOrderingKey(serviceAccountId),
      ...origin,
    });
  });
}
