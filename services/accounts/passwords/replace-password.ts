import type { Bus } from '@yardarm/shared/bus';
import { accessChangedHint, tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { deleteReset } from '../password-resets/password-resets.repo.ts';
import { deleteSessions } from '../sessions/sessions.repo.ts';
import { updatePassword } from './passwords.repo.ts';

/**
 * Puts a new password in the place of the old one, whoever chose it. What the old one opened ends with it: sessions (but the one by which
 * it is changed) and an open one-time token. The caller holds the user's row. There is no event: nothing that an event shows of a user
 * has changed.
 */
export async function replacePassword(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  { userId, hash, stayingSessionId = null }: { userId: number; hash: string; stayingSessionId?: number | null },
): Promise<void> {
  await updatePassword(trx, userId, hash);
  await deleteReset(trx, userId);
  const selectors = await deleteSessions(trx, userId, stayingSessionId);
  trx.onCommit(() => {
    for (const selector of selectors) bus.hint(tokenChangedHint, { selector });
    // The session that stays may do more than choose a password now.
    bus.hint(accessChangedHint, { userId });
  });
}
