import type { RequestContext } from '@yardarm/shared/bus';
import { accessChangedHint, type updateRole as contract, type Role } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { lockEnvironments, requireEnvironments } from './require-environments.ts';
import {
  decidePermissions,
  permitsSame,
  requireCustom,
  requireSameType,
  roleEventData,
  roleNameTaken,
  roleNotFound,
  roleOrderingKey,
  toRole,
} from './role.ts';
import {
  findRolePermissions,
  lockRole,
  replaceRolePermissions,
  roleNameConstraint,
  updateRoleRow,
} from './roles.repo.ts';

/** Absent properties stay. The holders are not looked up: gateways ask again for all users. */
export async function updateRole(
  { db, bus }: AccountsResources,
  { roleId, type, permissions: requested, ...names }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<Role> {
  const environments = await requireEnvironments(bus, requested ?? [], context);
  try {
    return await db.transaction(async (trx) => {
      await lockEnvironments(trx, environments, requested ?? []);
      const before = await lockRole(trx, roleId);
      if (!before) throw roleNotFound(roleId);
      requireCustom(before);
      requireSameType(before, type);
      const permissionsBefore = await findRolePermissions(trx, before.id);
      const permissions = requested ? decidePermissions(before.type, requested) : permissionsBefore;
      const { name, description = before.description } = names;
      const isSameAccess = permitsSame(permissions, permissionsBefore);
      if (isSameAccess && before.name === name && before.description === description) return toRole(before);
      const role = await updateRoleRow(trx, { id: before.id, name, description });
      if (!isSameAccess) {
        await replaceRolePermissions(trx, role.id, permissions);
        trx.onCommit(() => bus.hint(accessChangedHint, { userId: null }));
      }
      appendEvent(trx, {
        type: 'role-updated',
        data: roleEventData(role, permissions),
        preData: roleEventData(before, permissionsBefore),
        orderingKey: roleOrderingKey(role.id),
        ...eventOrigin(context),
      });
      return toRole(role);
    });
  } catch (error) {
    if (isUniqueViolation(error, roleNameConstraint)) throw roleNameTaken(names.name);
    throw error;
  }
}
