import type { RequestContext } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { AppError, shownValue } from '@yardarm/shared/errors';
import type { AccountsTables } from '../db/schema.ts';
import { findPasswordOwnerByName, holdPasswordOwner } from '../passwords/passwords.repo.ts';
import { beginReset } from './begin-reset.ts';

/** An admin asks for a one-time token for a user, by username or e-mail, and hands it on: nothing is sent. */
export async function requestReset(
  db: Database<AccountsTables>,
  { user }: { user: string },
  { actor }: RequestContext,
): Promise<{ token: string; expiresAt: string }> {
  const { token, expiresAt } = await db.transaction(async (trx) => {
    const owner = await findPasswordOwnerByName(trx, user);
    if (!owner || !(await holdPasswordOwner(trx, owner.id))) {
      throw new AppError(
        'not-found',
        `Could not find a user with the username or e-mail ${shownValue(user, ['user'])}.`,
      );
    }
    return beginReset(trx, owner.id, actor?.username ?? 'unknown');
  });
  return { token, expiresAt: expiresAt.toISOString() };
}
