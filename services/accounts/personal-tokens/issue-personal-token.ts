import { makeToken } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin, isUniqueViolation, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { decideExpiry } from '../tokens/token.ts';
import { userOrderingKey } from '../users/user.ts';
import { descriptionTaken, personalTokenEventData, toPersonalToken } from './personal-token.ts';
import { descriptionConstraint, insertPersonalToken } from './personal-tokens.repo.ts';

export interface PersonalTokenRequest {
  userId: number;
  description: string;
  expiresAt: string;
}

/**
 * Creates a personal token. Only the answer contains its secret. `requireAllowed` locks the row of the account, so
 * that a deleted account gets no token, and throws when the token is not allowed.
 */
export async function issuePersonalToken(
  db: Database<AccountsTables>,
  { userId, description, expiresAt }: PersonalTokenRequest,
  context: RequestContext,
  requireAllowed: (trx: Transaction<AccountsTables>) => Promise<void>,
): Promise<PersonalToken> {
  const expiry = decideExpiry(expiresAt, new Date());
  const { token: secret, selector, hash } = makeToken('user:');
  try {
    return await db.transaction(async (trx) => {
      await requireAllowed(trx);
      const stored = await insertPersonalToken(trx, { userId, description, expiresAt: expiry, selector, hash });
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
