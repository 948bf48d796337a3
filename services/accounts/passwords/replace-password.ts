import type { Bus } from '@yardarm/shared/bus';
import { accessChangedHint, tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { deleteReset } from '../password-resets/password-resets.repo.ts';
import { deleteSessions } from '../sessions/sessions.repo.ts';
import { updatePassword } from './passwords.repo.ts';

/**
 * Replaces a password, and deletes an open one-time token and all sessions except the one that changes it. The caller
 * has locked the row of the user. There is no event: nothing that events show of a user has changed.
 */
export async function replacePassword(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  { userId, hash, keptSessionId = null }: { userId: number; hash: string; keptSessionId?: number | null },
): Promise<void> {
  await updatePassword(trx, userId, hash);
  await deleteReset(trx, userId);
  const selectors = await deleteSessions(trx, userId, keptSessionId);
  trx.onCommit(() => {
    for (const selector of selectors) bus.hint(tokenChangedHint, { selector });
    // The kept session may now do more than change the password.
    bus.hint(accessChangedHint, { userId });
  });
}
