import type { RequestContext } from '@yardarm/shared/bus';
import type { createServiceAccount as contract, ServiceAccount } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { requireRootRole } from '../roles/role.ts';
import { lockRootRolesForShare } from '../roles/roles.repo.ts';
import { userOrderingKey } from '../users/user.ts';
import { usernameConstraint } from '../users/users.repo.ts';
import { serviceAccountEventData, toServiceAccount, usernameTaken } from './service-account.ts';
import { insertServiceAccount } from './service-accounts.repo.ts';

/** Creates a service account. The unique index decides between concurrent creations of the same username. */
export async function createServiceAccount(
  { db }: AccountsResources,
  input: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<ServiceAccount> {
  try {
    const stored = await db.transaction(async (trx) => {
      requireRootRole(input.rootRole, await lockRootRolesForShare(trx));
      const account = await insertServiceAccount(trx, input);
      appendEvent(trx, {
        type: 'service-account-created',
        data: serviceAccountEventData(account),
        orderingKey: userOrderingKey(account.id),
        ...eventOrigin(context),
      });
      return account;
    });
    return toServiceAccount(stored, []);
  } catch (error) {
    if (isUniqueViolation(error, usernameConstraint)) throw usernameTaken(input.username);
    throw error;
  }
}
