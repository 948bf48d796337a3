import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { serviceAccountNotFound } from '../service-accounts/service-account.ts';
import { lockServiceAccountForShare } from '../service-accounts/service-accounts.repo.ts';
import { issuePersonalToken } from './issue-personal-token.ts';

export async function createServiceAccountToken(
  { db }: AccountsResources,
  {
    serviceAccountId,
    ...request
  }: {
    serviceAccountId: number;
    description: string;
    expiresAt: string;
  },
  context: RequestContext,
): Promise<PersonalToken> {
  return issuePersonalToken(db, { userId: serviceAccountId, ...request }, context, async (trx) => {
    if (!(await lockServiceAccountForShare(trx, serviceAccountId))) throw serviceAccountNotFound(serviceAccountId);
  });
}
