import type { RequestContext } from '@yardarm/shared/bus';
import type { Role, RoleDefinition } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { lockEnvironments, requireEnvironments } from './require-environments.ts';
import { decidePermissions, roleEventData, roleNameTaken, roleOrderingKey, toRole } from './role.ts';
import { insertRole, replaceRolePermissions, roleNameConstraint } from './roles.repo.ts';

/** Creates a custom role. The unique constraint decides between concurrent creations of the same name. */
export async function createRole(
  { db, bus }: AccountsResources,
  { name, description, type = 'custom', permissions: requested }: RoleDefinition,
  context: RequestContext,
): Promise<Role> {
  const permissions = decidePermissions(type, requested);
  const environments = await requireEnvironments(bus, requested, context);
  try {
    return await db.transaction(async (trx) => {
      await lockEnvironments(trx, environments, requested);
      const role = await insertRole(trx, { type, name, description });
      await replaceRolePermissions(trx, role.id, permissions);
      appendEvent(trx, {
        type: 'role-created',
        data: roleEventData(role, permissions),
        orderingKey: roleOrderingKey(role.id),
        ...eventOrigin(context),
      });
      return toRole(role);
    });
  } catch (error) {
    if (isUniqueViolation(error, roleNameConstraint)) throw roleNameTaken(name);
    throw error;
  }
}
