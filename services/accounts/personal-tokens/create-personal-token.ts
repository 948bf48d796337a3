import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { issuePersonalToken } from './issue-personal-token.ts';
import { noPerson, requireBelowPersonalTokenLimit, requirePerson } from './personal-token.ts';
import { lockAndCountPersonalTokens } from './personal-tokens.repo.ts';

/** Creates a personal access token for the caller. Concurrent requests do not exceed the limit. */
export async function createPersonalToken(
  { db, config }: AccountsResources,
  input: { description: string; expiresAt: string },
  context: RequestContext,
): Promise<PersonalToken> {
  const userId = requirePerson(context.actor);
  return issuePersonalToken(db, { userId, ...input }, context, async (trx) => {
    const count = await lockAndCountPersonalTokens(trx, userId);
    if (count === null) throw noPerson();
    requireBelowPersonalTokenLimit(count, config.PAT_LIMIT);
  });
}
