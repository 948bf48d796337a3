import type { RequestContext } from '@yardarm/shared/bus';
import type { AccountsResources } from '../resources.ts';
import { userNotFound } from '../users/user.ts';
import { findUser } from '../users/users.repo.ts';
import { personalTokenNotFound } from './personal-token.ts';
import { revokePersonalToken } from './revoke-personal-token.ts';

export async function deleteUserToken(
  { db, bus }: AccountsResources,
  token: { userId: number; tokenId: number },
  context: RequestContext,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (!(await findUser(trx, token.userId, 'user'))) throw userNotFound(token.userId);
    if (!(await revokePersonalToken(trx, bus, token, context))) throw personalTokenNotFound(token.tokenId);
  });
}
