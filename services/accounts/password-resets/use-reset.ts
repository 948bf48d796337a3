import { hashPassword } from '../passwords/hash.ts';
import { requireStrongPassword } from '../passwords/password.ts';
import { lockPasswordOwner } from '../passwords/passwords.repo.ts';
import { replacePassword } from '../passwords/replace-password.ts';
import { accountKey } from '../rate-limits/rate-limit.ts';
import type { AccountsResources } from '../resources.ts';
import { checkReset } from './check-reset.ts';
import { invalidReset } from './password-reset.ts';
import { useResetRow } from './password-resets.repo.ts';

/** A user chooses a password by a one-time token; of several who use it at once one does. */
export async function useReset(
  { db, bus, attempts }: AccountsResources,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<void> {
  await attempts.countPasswordRequest(address);
  const { user, selector } = await checkReset(db.kysely, token);
  requireStrongPassword(password, [user.username, user.email]);
  const hash = await hashPassword(password);
  await db.transaction(async (trx) => {
    // The user before the reset: who deletes or begins anew takes them in this order too.
    if (!(await lockPasswordOwner(trx, user.id)) || !(await useResetRow(trx, selector))) throw invalidReset();
    await replacePassword(trx, bus, { userId: user.id, hash });
  });
  // Who has forgotten a password has mostly tried some.
  for (const name of [user.username, user.email]) {
    if (name !== null) await attempts.forgetGuess(accountKey(name), address);
  }
}
