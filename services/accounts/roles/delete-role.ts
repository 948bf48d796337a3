import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin, isForeignKeyViolation } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { requireCustom, roleEventData, roleInUse, roleNotFound, roleOrderingKey, type StoredRole } from './role.ts';
import { deleteRoleRow, findRolePermissions, lockRole } from './roles.repo.ts';

/** Foreign keys decide: a concurrent grant either does not find the role, or keeps it from being deleted. */
export async function deleteRole(
  { db }: AccountsResources,
  { roleId }: { roleId: number },
  context: RequestContext,
): Promise<void> {
  let role: StoredRole | null = null;
  try {
    await db.transaction(async (trx) => {
      role = await lockRole(trx, roleId);
      if (!role) throw roleNotFound(roleId);
      requireCustom(role);
      const permissions = await findRolePermissions(trx, role.id);
      await deleteRoleRow(trx, role.id);
      appendEvent(trx, {
        type: 'role-deleted',
        preData: roleEventData(role, permissions),
        orderingKey: roleOrderingKey(role.id),
        ...eventOrigin(context),
      });
    });
  } catch (error) {
    if (role && isForeignKeyViolation(error)) throw roleInUse(role);
    throw error;
  }
}
