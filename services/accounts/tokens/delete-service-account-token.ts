import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { AccountsTables } from '../db/schema.ts';
import { noServiceAccount } from '../service-accounts/service-account.ts';
import { existsServiceAccount } from '../service-accounts/service-accounts.repo.ts';
import { userKey } from '../users/user.ts';
import { personalTokenData } from './token.ts';
import { deletePersonalToken } from './tokens.repo.ts';

/** Deletes a token of a service account; once it is gone, every gateway is told to forget it. */
export async function deleteServiceAccountToken(
  db: Database<AccountsTables>,
  bus: Bus,
  { serviceAccountId, tokenId }: { serviceAccountId: number; tokenId: number },
  context: RequestContext,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (!(await existsServiceAccount(trx, serviceAccountId))) throw noServiceAccount(serviceAccountId);
    const deleted = await deletePersonalToken(trx, serviceAccountId, tokenId);
    if (!deleted) {
      throw new AppError(
        'not-found',
        `Could not find the token with ID "${tokenId}" of the service account with ID "${serviceAccountId}".`,
      );
    }
    await appendEvent(trx, {
      type: 'pat-deleted',
      preData: personalTokenData(deleted.token),
      orderingKey: userKey(serviceAccountId),
      ...eventOrigin(context),
    });
    trx.onCommit(() => bus.hint(tokenChangedHint, { selector: deleted.selector }));
  });
}
