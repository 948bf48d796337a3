import { makeToken } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { noServiceAccount } from '../service-accounts/service-account.ts';
import { holdServiceAccount } from '../service-accounts/service-accounts.repo.ts';
import { userKey } from '../users/user.ts';
import { decideExpiry, descriptionTaken, personalTokenData, toPersonalToken } from './token.ts';
import { descriptionConstraint, insertPersonalToken } from './tokens.repo.ts';

/** Makes a token of a service account. The answer is the one place where its secret ever stands. */
export async function createServiceAccountToken(
  db: Database<AccountsTables>,
  { serviceAccountId, description, expiresAt }: { serviceAccountId: number; description: string; expiresAt: string },
  context: RequestContext,
): Promise<PersonalToken> {
  const end = decideExpiry(expiresAt, new Date());
  const { token: secret, selector, hash } = makeToken('user:');
  try {
    return await db.transaction(async (trx) => {
      if (!(await holdServiceAccount(trx, serviceAccountId))) throw noServiceAccount(serviceAccountId);
      const stored = await insertPersonalToken(trx, {
        userId: serviceAccountId,
        description,
        expiresAt: end,
        selector,
        hash,
      });
      await appendEvent(trx, {
        type: 'pat-created',
        data: personalTokenData(stored),
        orderingKey: userKey(serviceAccountId),
        ...eventOrigin(context),
      });
      return toPersonalToken(stored, secret);
    });
  } catch (error) {
    if (isUniqueViolation(error, descriptionConstraint)) throw descriptionTaken(description, serviceAccountId);
    throw error;
  }
}
