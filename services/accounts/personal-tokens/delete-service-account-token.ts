import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import type { AccountsResources } from '../resources.ts';
import { serviceAccountNotFound } from '../service-accounts/service-account.ts';
import { hasServiceAccount } from '../service-accounts/service-accounts.repo.ts';
import { revokePersonalToken } from './revoke-personal-token.ts';

export async function deleteServiceAccountToken(
  { db, bus }: AccountsResources,
  { serviceAccountId, tokenId }: { serviceAccountId: number; tokenId: number },
  context: RequestContext,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (!(await hasServiceAccount(trx, serviceAccountId))) throw serviceAccountNotFound(serviceAccountId);
    if (await revokePersonalToken(trx, bus, { userId: serviceAccountId, tokenId }, context)) return;
    throw new AppError(
      'not-found',
      `Could not find the token with ID "${tokenId}" of the service account with ID "${serviceAccountId}".`,
    );
  });
}
