import type { RequestContext } from '@yardarm/shared/bus';
import { accessChangedHint, type updateUser as contract, type User } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { adminRoleId } from '../roles/role.ts';
import { holdRootRoles } from '../roles/roles.repo.ts';
import {
  changed,
  lastAdmin,
  nameTaken,
  rootRoleOf,
  toUser,
  userEventData,
  userNotFound,
  userOrderingKey,
} from './user.ts';
import { emailConstraint, hasOtherAdmin, lockAdmins, lockUser, updateUserRow } from './users.repo.ts';

/** Changes name, e-mail or root role of a person; what is absent stays, and an update that changes nothing tells nobody. */
export async function updateUser(
  { db, bus }: AccountsResources,
  { userId, name, email, rootRole }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<User> {
  try {
    return await db.transaction(async (trx) => {
      if (rootRole !== undefined) await lockAdmins(trx);
      const newRole = rootRole === undefined ? undefined : rootRoleOf(rootRole, await holdRootRoles(trx));
      const stored = await lockUser(trx, userId, 'user');
      if (!stored) throw userNotFound(userId);
      const change = changed(stored, { name, email, rootRole: newRole });
      if (!change) return toUser(stored);
      const isDemoted = stored.rootRole === adminRoleId && change.rootRole !== adminRoleId;
      if (isDemoted && !(await hasOtherAdmin(trx, userId))) throw lastAdmin(userId);
      const user = await updateUserRow(trx, userId, change);
      appendEvent(trx, {
        type: 'user-updated',
        data: userEventData(user),
        preData: userEventData(stored),
        orderingKey: userOrderingKey(userId),
        ...eventOrigin(context),
      });
      // Also of a new name: gateways remember who asks by name and address, and events are signed by them.
      trx.onCommit(() => bus.hint(accessChangedHint, { userId }));
      return toUser(user);
    });
  } catch (error) {
    if (isUniqueViolation(error, emailConstraint)) throw nameTaken('email', email);
    throw error;
  }
}
