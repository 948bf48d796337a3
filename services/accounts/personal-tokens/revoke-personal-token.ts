import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { appendDeletions } from './append-deletions.ts';
import { deletePersonalToken } from './personal-tokens.repo.ts';

/** Returns false when the token does not exist. A hint to gateways follows the commit. */
export async function revokePersonalToken(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  { userId, tokenId }: { userId: number; tokenId: number },
  context: RequestContext,
): Promise<boolean> {
  const deleted = await deletePersonalToken(trx, userId, tokenId);
  if (!deleted) return false;
  appendDeletions(trx, [deleted.token], eventOrigin(context));
  trx.onCommit(() => bus.hint(tokenChangedHint, { selector: deleted.selector }));
  return true;
}
