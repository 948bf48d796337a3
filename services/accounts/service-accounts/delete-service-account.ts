import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { refuseDeletingOneself, userKey } from '../users/user.ts';
import { deleteUserRow, lockUser } from '../users/users.repo.ts';
import { asServiceAccount, noServiceAccount, serviceAccountData } from './service-account.ts';

/** Deletes a service account with its tokens, memberships and roles; one event tells it all. */
export async function deleteServiceAccount(
  db: Database<AccountsTables>,
  bus: Bus,
  { serviceAccountId }: { serviceAccountId: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  refuseDeletingOneself(serviceAccountId, origin.actor);
  await db.transaction(async (trx) => {
    const stored = await lockUser(trx, serviceAccountId, 'service-account');
    if (!stored) throw noServiceAccount(serviceAccountId);
    const selectors = await deleteUserRow(trx, serviceAccountId);
    await appendEvent(trx, {
      type: 'service-account-deleted',
      preData: serviceAccountData(asServiceAccount(stored)),
      orderingKey: userKey(serviceAccountId),
      ...origin,
    });
    trx.onCommit(() => {
      for (const selector of selectors) bus.hint(tokenChangedHint, { selector });
    });
  });
}
