import type { RequestContext } from '@yardarm/shared/bus';
import type { ServiceAccount } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { requireRootRole } from '../roles/role.ts';
import { findRootRoles } from '../roles/roles.repo.ts';
import { userKey } from '../users/user.ts';
import { serviceAccountData, toServiceAccount, usernameTaken } from './service-account.ts';
import { insertServiceAccount, usernameConstraint } from './service-accounts.repo.ts';

/** Makes a service account. Of several creators of one username at once the unique index lets one through. */
export async function createServiceAccount(
  db: Database<AccountsTables>,
  input: { username: string; name: string; rootRole: number },
  context: RequestContext,
): Promise<ServiceAccount> {
  try {
    const stored = await db.transaction(async (trx) => {
      requireRootRole(input.rootRole, await findRootRoles(trx));
      const account = await insertServiceAccount(trx, input);
      await appendEvent(trx, {
        type: 'service-account-created',
        data: serviceAccountData(account),
        orderingKey: userKey(account.id),
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
