import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { userOrderingKey } from '../users/user.ts';
import { personalTokenEventData } from './personal-token.ts';
import { deletePersonalToken } from './personal-tokens.repo.ts';

/** Deletes a personal token of an account; once it is gone, every gateway is told to forget it. False when there was none. */
export async function revokePersonalToken(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  { userId, tokenId }: { userId: number; tokenId: number },
  context: RequestContext,
): Promise<boolean> {
  const deleted = await deletePersonalToken(trx, userId, tokenId);
  if (!deleted) return false;
  appendEvent(trx, {
    type: 'pat-deleted',
    preData: personalTokenEventData(deleted.token),
    orderingKey: userOrderingKey(userId),
    ...eventOrigin(context),
  });
  trx.onCommit(() => bus.hint(tokenChangedHint, { selector: deleted.selector }));
  return true;
}
