import type { Bus } from '@yardarm/shared/bus';
import { accessChangedHint, tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import type { EventOrigin, Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { deleteReset } from '../password-resets/password-resets.repo.ts';
import { appendDeletions } from '../personal-tokens/append-deletions.ts';
import { deletePersonalTokens } from '../personal-tokens/personal-tokens.repo.ts';
import { deleteSessions } from '../sessions/sessions.repo.ts';
import { updatePassword } from './passwords.repo.ts';

/**
 * Replaces a password, and deletes an open one-time token and all sessions except the one that changes it. The caller
 * has locked the row of the user. There is no event: nothing that events show of a user has changed. A reset also
 * deletes the personal tokens, with events of `origin`, since they may be those of a thief. The lock makes new tokens
 * wait, and those are checked against the sessions and tokens that are left.
 */
export async function replacePassword(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  change: { userId: number; hash: string } & (
    | { keptSessionId: number | null }
    | { keepPersonalTokens: boolean; origin: EventOrigin }
  ),
): Promise<void> {
  const { userId, hash } = change;
  await updatePassword(trx, userId, hash);
  await deleteReset(trx, userId);
  const selectors = await deleteSessions(trx, userId, 'keptSessionId' in change ? change.keptSessionId : null);
  if ('origin' in change && !change.keepPersonalTokens) {
    const revoked = await deletePersonalTokens(trx, userId);
    const tokens = revoked.map(({ token }) => token);
    appendDeletions(trx, tokens, change.origin);
    selectors.push(...revoked.map(({ selector }) => selector));
  }
  trx.onCommit(() => {
    for (const selector of selectors) bus.hint(tokenChangedHint, { selector });
    // The kept session may now do more than change the password.
    bus.hint(accessChangedHint, { userId });
  });
}
