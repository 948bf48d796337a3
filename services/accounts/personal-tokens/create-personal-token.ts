import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { issuePersonalToken } from './issue-personal-token.ts';
import { callerTokenEnded, noPerson, requireBelowPersonalTokenLimit, requirePerson } from './personal-token.ts';
import { hasTokenOf, lockAndCountPersonalTokens } from './personal-tokens.repo.ts';

/**
 * Creates a personal access token for the caller. Concurrent requests do not exceed the limit. A gateway may not know
 * yet that the session or token of the caller has ended: a thief could make a token that outlives a reset.
 */
export async function createPersonalToken(
  { db, config }: AccountsResources,
  { callerTokenId, ...input }: { description: string; expiresAt: string; callerTokenId: number | null },
  context: RequestContext,
): Promise<PersonalToken> {
  const userId = requirePerson(context.actor);
  return issuePersonalToken(db, { userId, ...input }, context, async (trx) => {
    const count = await lockAndCountPersonalTokens(trx, userId);
    if (count === null) throw noPerson();
    if (callerTokenId !== null && !(await hasTokenOf(trx, userId, callerTokenId))) throw callerTokenEnded();
    requireBelowPersonalTokenLimit(count, config.PAT_LIMIT);
  });
}
