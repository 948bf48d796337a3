import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { issuePersonalToken } from './issue-personal-token.ts';
import { noPerson, requirePerson, requireRoomForPersonalToken } from './personal-token.ts';
import { countPersonalTokensAlone } from './personal-tokens.repo.ts';

/** Makes a personal access token for the person who asks; of many at once no more get one than the limit lets. */
export async function createPersonalToken(
  { db, config }: AccountsResources,
  input: { description: string; expiresAt: string },
  context: RequestContext,
): Promise<PersonalToken> {
  const userId = requirePerson(context.actor);
  return issuePersonalToken(db, { userId, ...input }, context, async (trx) => {
    const count = await countPersonalTokensAlone(trx, userId);
    if (count === null) throw noPerson();
    requireRoomForPersonalToken(count, config.PAT_LIMIT);
  });
}
