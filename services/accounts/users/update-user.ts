import type { RequestContext } from '@yardarm/shared/bus';
import { accessChangedHint, type updateUser as contract, type User } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { adminRoleId } from '../roles/role.ts';
import { lockRootRolesForShare } from '../roles/roles.repo.ts';
import {
  applyChange,
  lastAdmin,
  nameTaken,
  rootRoleOf,
  toUser,
  userEventData,
  userNotFound,
  userOrderingKey,
} from './user.ts';
import { emailConstraint, hasOtherAdmin, lockAdmins, lockUser, updateUserRow } from './users.repo.ts';

/** Absent properties stay, and an update without changes emits no event. */
export async function updateUser(
  { db, bus }: AccountsResources,
  { userId, name, email, rootRole }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<User> {
  try {
    return await db.transaction(async (trx) => {
      if (rootRole !== undefined) await lockAdmins(trx);
      const newRole = rootRole === undefined ? undefined : rootRoleOf(rootRole, await lockRootRolesForShare(trx));
      const stored = await lockUser(trx, userId, 'user');
      if (!stored) throw userNotFound(userId);
      const change = applyChange(stored, { name, email, rootRole: newRole });
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
      // Also for a new name: gateways cache names and addresses of callers, and events contain them.
      trx.onCommit(() => bus.hint(accessChangedHint, { userId }));
      return toUser(user);
    });
  } catch (error) {
    if (isUniqueViolation(error, emailConstraint)) throw nameTaken('email', email);
    throw error;
  }
}
