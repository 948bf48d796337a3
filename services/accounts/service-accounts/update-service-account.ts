import type { RequestContext } from '@yardarm/shared/bus';
import {
  accessChangedHint,
  type updateServiceAccount as contract,
  type ServiceAccount,
} from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { requireRootRole } from '../roles/role.ts';
import { lockRootRolesForShare } from '../roles/roles.repo.ts';
import { applyChange, userOrderingKey } from '../users/user.ts';
import { lockUser, updateUserRow } from '../users/users.repo.ts';
import {
  asServiceAccount,
  serviceAccountEventData,
  serviceAccountNotFound,
  toServiceAccount,
} from './service-account.ts';

/** Changes the name or root role of a service account. An update without changes emits no event. */
export async function updateServiceAccount(
  { db, bus }: AccountsResources,
  { serviceAccountId, name, rootRole }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<ServiceAccount> {
  return db.transaction(async (trx) => {
    if (rootRole !== undefined) requireRootRole(rootRole, await lockRootRolesForShare(trx));
    const stored = await lockUser(trx, serviceAccountId, 'service-account');
    if (!stored) throw serviceAccountNotFound(serviceAccountId);
    const change = applyChange(stored, { name, rootRole });
    if (!change) return toServiceAccount(asServiceAccount(stored), []);
    const account = asServiceAccount(await updateUserRow(trx, serviceAccountId, change));
    appendEvent(trx, {
      type: 'service-account-updated',
      data: serviceAccountEventData(account),
      preData: serviceAccountEventData(asServiceAccount(stored)),
      orderingKey: userOrderingKey(serviceAccountId),
      ...eventOrigin(context),
    });
    trx.onCommit(() => bus.hint(accessChangedHint, { userId: serviceAccountId }));
    return toServiceAccount(account, []);
  });
}
