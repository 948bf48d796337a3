import { makeToken } from '@yardarm/shared/auth';
import type { SignedInUser } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { logins } from '../metrics.ts';
import { isPassword } from '../passwords/hash.ts';
import {
  countFailedLogin,
  findPasswordOwnerByName,
  lockPasswordOwner,
  updateLoggedIn,
} from '../passwords/passwords.repo.ts';
import { findAccountKey } from '../rate-limits/rate-limits.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { toSignedInUser } from '../users/user.ts';
import { passwordMismatch } from './session.ts';
import { insertSession } from './sessions.repo.ts';

type Login = { username: string; password: string; address: string };
type Session = { user: SignedInUser; session: { token: string; expiresAt: string } };

/** Every refusal has the same answer after the same time, whether the user exists or not. */
export async function beginSession(resources: AccountsResources, login: Login): Promise<Session> {
  try {
    const session = await logIn(resources, login);
    logins.inc({ outcome: 'success' });
    return session;
  } catch (error) {
    logins.inc({ outcome: outcomeOf(error) });
    throw error;
  }
}

function outcomeOf(error: unknown): string {
  const code = error instanceof AppError ? error.code : null;
  if (code === 'password-mismatch') return 'mismatch';
  return code === 'rate-limited' ? 'limited' : 'failed';
}

async function logIn(
  { db, attempts, config }: AccountsResources,
  { username, password, address }: Login,
): Promise<Session> {
  await attempts.countLogin(address);
  const owner = await findPasswordOwnerByName(db.kysely, username);
  const account = await findAccountKey(db.kysely, username);
  await attempts.countGuess(account, address);
  if (!(await isPassword(owner?.passwordHash ?? null, password)) || owner === null) {
    await db.transaction((trx) => countFailedLogin(trx, owner?.id ?? null));
    throw passwordMismatch();
  }
  const { token, selector, hash } = makeToken('session_');
  const session = await db.transaction(async (trx) => {
    const current = await lockPasswordOwner(trx, owner.id);
    // The password changed while it was checked, so it is no longer valid.
    if (current?.passwordHash !== owner.passwordHash) throw passwordMismatch();
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
  return { user: toSignedInUser(session.user), session: { token, expiresAt: session.expiresAt.toISOString() } };
}
