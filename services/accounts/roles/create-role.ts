import type { RequestContext } from '@yardarm/shared/bus';
import type { Role, RoleDefinition } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { requireEnvironments } from './require-environments.ts';
import { decidePermissions, roleEventData, roleNameTaken, roleOrderingKey, toRole } from './role.ts';
import { insertRole, replaceRolePermissions, roleNameConstraint } from './roles.repo.ts';

/** Makes a custom role. Of several creators of one name at once the unique constraint lets one through. */
export async function createRole(
  { db, bus }: AccountsResources,
  { name, description, type = 'custom', permissions: asked }: RoleDefinition,
  context: RequestContext,
): Promise<Role> {
  const permissions = decidePermissions(type, asked);
  await requireEnvironments(bus, asked, context);
  try {
    return await db.transaction(async (trx) => {
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
