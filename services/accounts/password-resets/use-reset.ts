import type { RequestContext } from '@yardarm/shared/bus';
import type { resetPassword as contract } from '@yardarm/shared/contracts/accounts';
import { eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import { hashPassword } from '../passwords/hash.ts';
import { requireStrongPassword } from '../passwords/password.ts';
import { lockPasswordOwner } from '../passwords/passwords.repo.ts';
import { replacePassword } from '../passwords/replace-password.ts';
import { findAccountKey } from '../rate-limits/rate-limits.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { actorOf } from '../tokens/token.ts';
import { checkReset } from './check-reset.ts';
import { invalidReset } from './password-reset.ts';
import { useResetRow } from './password-resets.repo.ts';

/** Sets a password with a one-time token. One of several concurrent uses succeeds. */
export async function useReset(
  { db, bus, attempts }: AccountsResources,
  { token, password, keepPersonalTokens, address }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<void> {
  await attempts.countPasswordRequest(address);
  const { user, selector } = await checkReset(db.kysely, token);
  requireStrongPassword(password, [user.username, user.email]);
  const hash = await hashPassword(password);
  // The token identifies its user, who therefore is the actor of the events.
  const origin = eventOrigin({ ...context, actor: actorOf({ ...user, kind: 'user', roles: [] }) });
  await db.transaction(async (trx) => {
    // The user is locked before the reset, in the same order as by deletions and new resets.
    if (!(await lockPasswordOwner(trx, user.id)) || !(await useResetRow(trx, selector))) throw invalidReset();
    await replacePassword(trx, bus, { userId: user.id, hash, keepPersonalTokens, origin });
  });
  // A user who forgot a password has usually tried some, and an attacker may have locked the account.
  for (const name of [user.username, user.email]) {
    if (name !== null) await attempts.forgetGuesses(await findAccountKey(db.kysely, name), address);
  }
}
