import type { Bus } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { groupOrderingKey } from '../groups/group.ts';
import { leaveGroups } from '../groups/groups.repo.ts';
import { personalTokenEventData } from '../personal-tokens/personal-token.ts';
import { deleteTokensOf } from '../personal-tokens/personal-tokens.repo.ts';
import { revokeEveryRole } from '../project-access/revoke-every-role.ts';
import { userOrderingKey } from './user.ts';
import { deleteUserRow } from './users.repo.ts';

/**
 * Deletes a person or a service account with tokens, sessions, memberships and roles. Each that the log knows of is told to be gone; the
 * caller, who has the lock of holdings and of the row, then tells that they are.
 */
export async function removeUser(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  userId: number,
  origin: EventOrigin,
): Promise<void> {
  const revoked = await deleteTokensOf(trx, userId);
  const left = await leaveGroups(trx, userId);
  appendEvents(trx, [
    ...revoked.flatMap(({ token }) =>
      token
        ? [
            {
              type: 'pat-deleted' as const,
              preData: personalTokenEventData(token),
              orderingKey: userOrderingKey(userId),
              ...origin,
            },
          ]
        : [],
    ),
    ...left.map((groupId) => ({
      type: 'group-user-removed' as const,
      preData: { groupId, userId },
      orderingKey: groupOrderingKey(groupId),
      ...origin,
    })),
  ]);
  await revokeEveryRole(trx, 'user', userId, origin);
  await deleteUserRow(trx, userId);
  trx.onCommit(() => {
    for (const { selector } of revoked) bus.hint(tokenChangedHint, { selector });
  });
}
