import { makeToken } from '@yardarm/shared/auth';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { upsertReset } from './password-resets.repo.ts';

/** A requested reset is used on the same day; an invited person may be on holiday for a week. */
const lifeHours = { reset: 24, invite: 7 * 24 };

/** Creates the one-time token of a user, in place of an earlier one. The caller has locked the row of the user. */
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
