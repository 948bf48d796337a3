import type { RequestContext } from '@yardarm/shared/bus';
import type { AccountsResources } from '../resources.ts';
import { personalTokenNotFound, requirePerson } from './personal-token.ts';
import { revokePersonalToken } from './revoke-personal-token.ts';

export async function deletePersonalToken(
  { db, bus }: AccountsResources,
  { tokenId }: { tokenId: number },
  context: RequestContext,
): Promise<void> {
  const userId = requirePerson(context.actor);
  const isDeleted = await db.transaction((trx) => revokePersonalToken(trx, bus, { userId, tokenId }, context));
  if (!isDeleted) throw personalTokenNotFound(tokenId);
}
