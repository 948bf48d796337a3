import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { adminRoleId } from '../roles/role.ts';
import { lastAdmin, noUser, refuseDeletingOneself, userData, userKey } from './user.ts';
import { deleteUserRow, existsOtherAdmin, lockAdmins, lockUser } from './users.repo.ts';

/**
 * Deletes a person with all tokens, sessions, memberships and roles. One event tells it: what goes with a user goes without events
 * of its own.
 */
export async function deleteUser(
  db: Database<AccountsTables>,
  bus: Bus,
  { userId }: { userId: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  refuseDeletingOneself(userId, origin.actor);
  await db.transaction(async (trx) => {
    await lockAdmins(trx);
    const stored = await lockUser(trx, userId, 'user');
    if (!stored) throw noUser(userId);
    if (stored.rootRole === adminRoleId && !(await existsOtherAdmin(trx, userId))) throw lastAdmin(userId);
    const selectors = await deleteUserRow(trx, userId);
    await appendEvent(trx, {
      type: 'user-deleted',
      preData: userData(stored),
      orderingKey: userKey(userId),
      ...origin,
    });
    trx.onCommit(() => {
      for (const selector of selectors) bus.hint(tokenChangedHint, { selector });
    });
  });
}
