import { makeToken } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin, isUniqueViolation, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { decideExpiry } from '../tokens/token.ts';
import { userOrderingKey } from '../users/user.ts';
import { descriptionTaken, personalTokenEventData, toPersonalToken } from './personal-token.ts';
import { descriptionConstraint, insertPersonalToken } from './personal-tokens.repo.ts';

/** What is asked for, and for whom. */
export interface PersonalTokenOrder {
  userId: number;
  description: string;
  expiresAt: string;
}

/**
 * Makes a personal token; the answer is the one place where its secret ever stands. `admit` holds the account's row, so that no token is
 * made for one that is being deleted, and throws when there is to be none.
 */
export async function issuePersonalToken(
  db: Database<AccountsTables>,
  { userId, description, expiresAt }: PersonalTokenOrder,
  context: RequestContext,
  admit: (trx: Transaction<AccountsTables>) => Promise<void>,
): Promise<PersonalToken> {
  const end = decideExpiry(expiresAt, new Date());
  const { token: secret, selector, hash } = makeToken('user:');
  try {
    return await db.transaction(async (trx) => {
      await admit(trx);
      const stored = await insertPersonalToken(trx, { userId, description, expiresAt: end, selector, hash });
      appendEvent(trx, {
        type: 'pat-created',
        data: personalTokenEventData(stored),
        orderingKey: userOrderingKey(userId),
        ...eventOrigin(context),
      });
      return toPersonalToken(stored, secret);
    });
  } catch (error) {
    if (isUniqueViolation(error, descriptionConstraint)) throw descriptionTaken(description);
    throw error;
  }
}
