import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { userNotFound } from '../users/user.ts';
import { hashPassword } from './hash.ts';
import { requireStrongPassword } from './password.ts';
import { findPasswordOwner, holdPasswordOwner } from './passwords.repo.ts';
import { replacePassword } from './replace-password.ts';

/** An admin chooses a password for a user. */
export async function setPassword(
  db: Database<AccountsTables>,
  bus: Bus,
  { userId, password }: { userId: number; password: string },
): Promise<void> {
  const owner = await findPasswordOwner(db.kysely, userId);
  if (!owner) throw userNotFound(userId);
  requireStrongPassword(password, [owner.username, owner.email]);
  // Before the transaction: a hash takes as long as twenty of them.
  const hash = await hashPassword(password);
  await db.transaction(async (trx) => {
    if (!(await holdPasswordOwner(trx, userId))) throw userNotFound(userId);
    await replacePassword(trx, bus, { userId, hash });
  });
}
