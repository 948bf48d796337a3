import type { RequestContext } from '@yardarm/shared/bus';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { findPasswordOwnerByName, lockPasswordOwner } from '../passwords/passwords.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { beginReset } from './begin-reset.ts';

/** Creates a one-time token for a user, found by username or e-mail. The admin passes it on: no mail is sent. */
export async function requestReset(
  { db }: AccountsResources,
  { user }: { user: string },
  { actor }: RequestContext,
): Promise<{ token: string; expiresAt: string }> {
  const { token, expiresAt } = await db.transaction(async (trx) => {
    const owner = await findPasswordOwnerByName(trx, user);
    if (!owner || !(await lockPasswordOwner(trx, owner.id))) {
      throw new AppError(
        'not-found',
        `Could not find a user with the username or e-mail ${redactValue(user, ['user'])}.`,
      );
    }
    return beginReset(trx, owner.id, actor?.username ?? 'unknown');
  });
  return { token, expiresAt: expiresAt.toISOString() };
}
