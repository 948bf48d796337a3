import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import { findAccountKey } from '../rate-limits/rate-limits.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { oldPasswordMismatch } from '../sessions/session.ts';
import { hashPassword, isPassword } from './hash.ts';
import { requireNewPassword, requireStrongPassword } from './password.ts';
import { findPasswordOwner, lockPasswordOwner } from './passwords.repo.ts';
import { replacePassword } from './replace-password.ts';

/** Attempts count like logins, so that a stolen session is no faster way to guess the password. */
export async function changeOwnPassword(
  { db, bus, attempts }: AccountsResources,
  input: {
    password: string;
    confirmPassword: string;
    oldPassword: string;
    sessionId: number | null;
    address: string;
  },
  { actor }: RequestContext,
): Promise<void> {
  const owner = actor?.kind === 'user' ? await findPasswordOwner(db.kysely, actor.id) : null;
  if (!owner)
    throw new AppError('forbidden', 'Only a person has a password to change: log in, or use a token of your own.');
  const { password, oldPassword, address } = input;
  await attempts.countPasswordRequest(address);
  requireNewPassword(input);
  const account = await findAccountKey(db.kysely, owner.username ?? owner.email ?? '');
  await attempts.countGuess(account, address);
  if (!(await isPassword(owner.passwordHash, oldPassword))) throw oldPasswordMismatch();
  await attempts.forgetGuess(account, address);
  requireStrongPassword(password, [owner.username, owner.email]);
  const hash = await hashPassword(password);
  await db.transaction(async (trx) => {
    const current = await lockPasswordOwner(trx, owner.id);
    // Of two concurrent changes with the same old password the second fails, since the password has changed.
    if (current?.passwordHash !== owner.passwordHash) throw oldPasswordMismatch();
    await replacePassword(trx, bus, { userId: owner.id, hash, keptSessionId: input.sessionId });
  });
}
