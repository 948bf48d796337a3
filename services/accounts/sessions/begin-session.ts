import { makeToken } from '@yardarm/shared/auth';
import type { SignedInUser } from '@yardarm/shared/contracts/accounts';
import { isPassword } from '../passwords/hash.ts';
import {
  countFailedLogin,
  findPasswordOwnerByName,
  lockPasswordOwner,
  updateLoggedIn,
} from '../passwords/passwords.repo.ts';
import { accountKey } from '../rate-limits/rate-limit.ts';
import type { AccountsResources } from '../resources.ts';
import { toSignedInUser } from '../users/user.ts';
import { passwordMismatch } from './session.ts';
import { insertSession } from './sessions.repo.ts';

/**
 * A login. Counted before the password is looked at; whoever is refused hears the same after the same time, whether there is such a
 * user or not.
 */
export async function beginSession(
  { db, attempts, config }: AccountsResources,
  { username, password, address }: { username: string; password: string; address: string },
): Promise<{ user: SignedInUser; session: { token: string; expiresAt: string } }> {
  await attempts.countLogin(address);
  const owner = await findPasswordOwnerByName(db.kysely, username);
  const account = accountKey(username);
  await attempts.countGuess(account, address);
  if (!(await isPassword(owner?.passwordHash ?? null, password)) || owner === null) {
    await db.transaction((trx) => countFailedLogin(trx, owner?.id ?? null));
    throw passwordMismatch();
  }
  const { token, selector, hash } = makeToken('session_');
  const begun = await db.transaction(async (trx) => {
    const held = await lockPasswordOwner(trx, owner.id);
    // Changed while it was looked at: it opens nothing any more.
    if (held?.passwordHash !== owner.passwordHash) throw passwordMismatch();
    const user = await updateLoggedIn(trx, owner.id);
    const { expiresAt } = await insertSession(trx, {
      userId: owner.id,
      selector,
      hash,
      lifeHours: config.SESSION_TTL_HOURS,
    });
    return { user, expiresAt };
  });
  await attempts.forgetGuess(account, address);
  return { user: toSignedInUser(begun.user), session: { token, expiresAt: begun.expiresAt.toISOString() } };
}
