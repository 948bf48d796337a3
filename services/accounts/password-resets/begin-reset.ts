import { makeToken } from '@yardarm/shared/auth';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { upsertReset } from './password-resets.repo.ts';

/** Who asked for a reset uses it on that day; who is invited may be on holiday this week. */
const lifeHours = { reset: 24, invite: 7 * 24 };

/**
 * Makes the one-time token by which a user chooses a password; one that the user had before ends. The caller holds the user's row, and
 * hands the token to whoever asked: it stands nowhere else.
 */
export async function beginReset(
  trx: Transaction<AccountsTables>,
  userId: number,
  createdBy: string,
  purpose: keyof typeof lifeHours = 'reset',
): Promise<{ token: string; expiresAt: Date }> {
  const { token, selector, hash } = makeToken('reset_');
  const { expiresAt } = await upsertReset(trx, {
    ...{ userId, selector, hash, createdBy },
    lifeHours: lifeHours[purpose],
  });
  return { token, expiresAt };
}
