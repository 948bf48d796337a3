import type { RequestContext } from '@yardarm/shared/bus';
import { eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { userNotFound } from '../users/user.ts';
import { hashPassword } from './hash.ts';
import { requireStrongPassword } from './password.ts';
import { findPasswordOwner, lockPasswordOwner } from './passwords.repo.ts';
import { replacePassword } from './replace-password.ts';

export async function setPassword(
  { db, bus }: AccountsResources,
  { userId, password, keepPersonalTokens }: { userId: number; password: string; keepPersonalTokens: boolean },
  context: RequestContext,
): Promise<void> {
  const owner = await findPasswordOwner(db.kysely, userId);
  if (!owner) throw userNotFound(userId);
  requireStrongPassword(password, [owner.username, owner.email]);
  // Before the transaction: a hash takes as long as twenty transactions.
  const hash = await hashPassword(password);
  await db.transaction(async (trx) => {
    if (!(await lockPasswordOwner(trx, userId))) throw userNotFound(userId);
    await replacePassword(trx, bus, { userId, hash, keepPersonalTokens, origin: eventOrigin(context) });
  });
}
