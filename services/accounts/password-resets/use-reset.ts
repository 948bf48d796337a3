import { hashPassword } from '../passwords/hash.ts';
import { requireStrongPassword } from '../passwords/password.ts';
import { lockPasswordOwner } from '../passwords/passwords.repo.ts';
import { replacePassword } from '../passwords/replace-password.ts';
import { findAccountKey } from '../rate-limits/rate-limits.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { checkReset } from './check-reset.ts';
import { invalidReset } from './password-reset.ts';
import { useResetRow } from './password-resets.repo.ts';

/** Sets a password with a one-time token. One of several concurrent uses succeeds. */
export async function useReset(
  { db, bus, attempts }: AccountsResources,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<void> {
  await attempts.countPasswordRequest(address);
  const { user, selector } = await checkReset(db.kysely, token);
  requireStrongPassword(password, [user.username, user.email]);
  const hash = await hashPassword(password);
  await db.transaction(async (trx) => {
    // The user is locked before the reset, in the same order as by deletions and new resets.
    if (!(await lockPasswordOwner(trx, user.id)) || !(await useResetRow(trx, selector))) throw invalidReset();
    await replacePassword(trx, bus, { userId: user.id, hash });
  });
  // A user who forgot a password has usually tried some.
  for (const name of [user.username, user.email]) {
    if (name !== null) await attempts.forgetGuess(await findAccountKey(db.kysely, name), address);
  }
}
