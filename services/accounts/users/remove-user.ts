import type { Bus } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { deleteFeedback } from '../feedback/feedback.repo.ts';
import { groupOrderingKey } from '../groups/group.ts';
import { removeFromGroups } from '../groups/groups.repo.ts';
import { appendDeletions } from '../personal-tokens/append-deletions.ts';
import { deleteTokensOf } from '../personal-tokens/personal-tokens.repo.ts';
import { revokeEveryRole } from '../project-access/revoke-every-role.ts';
import { deleteSavedViewsOf } from '../saved-views/saved-views.repo.ts';
import { deleteSeenSplashes } from '../splashes/seen-splashes.repo.ts';
import { deleteUserRow } from './users.repo.ts';

/**
 * Deletes a user or service account and what belongs to it, with events for all but sessions and itself. The caller
 * has locked the row, called `lockAccess`, and then emits the event of the account.
 */
export async function removeUser(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  userId: number,
  origin: EventOrigin,
): Promise<void> {
  const revoked = await deleteTokensOf(trx, userId);
  const groupIds = await removeFromGroups(trx, userId);
  const personal = revoked.flatMap(({ token }) => token ?? []);
  appendDeletions(trx, personal, origin);
  appendEvents(
    trx,
    groupIds.map((groupId) => ({
      type: 'group-user-removed' as const,
      preData: { groupId, userId },
      orderingKey: groupOrderingKey(groupId),
      ...origin,
    })),
  );
  await deleteSeenSplashes(trx, userId);
  await deleteFeedback(trx, userId);
  await deleteSavedViewsOf(trx, userId);
  await revokeEveryRole(trx, 'user', userId, origin);
  await deleteUserRow(trx, userId);
  trx.onCommit(() => {
    for (const { selector } of revoked) bus.hint(tokenChangedHint, { selector });
  });
}
