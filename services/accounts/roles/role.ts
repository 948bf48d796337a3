import { type Grant, type Permission, permissions } from '@yardarm/shared/contracts';
import { AppError, shownValue } from '@yardarm/shared/errors';

/** A role as requests show it. Predefined roles: 1 Admin, 2 Editor, 3 Viewer (root), 4 Owner, 5 Member (project). */
export interface Role {
  id: number;
  type: string;
  name: string;
  description: string;
}

/** One row of what a role may do; without an environment it holds in all of them. */
export interface RolePermission {
  permission: string;
  environment: string | null;
}

/**
 * What the holder of a root role may do: its permissions hold in every project. A permission that this code does not know was
 * written by a newer release during its roll-out and grants nothing here.
 */
export function rootGrants(rolePermissions: readonly RolePermission[]): Grant[] {
  return rolePermissions.flatMap(({ permission, environment }) =>
    isKnown(permission) ? [environment === null ? { permission } : { permission, environment }] : [],
  );
}

/** Throws `bad-data` naming the property and the value unless it is the id of a root role. */
export function requireRootRole(id: number, rootRoles: readonly Role[]): void {
  if (rootRoles.some((role) => role.id === id)) return;
  const choices = rootRoles.map((role) => `${role.id} (${role.name})`).join(', ');
  throw new AppError(
    'bad-data',
    `The .rootRole property should be the id of a root role: ${choices}. You sent ${shownValue(id, ['rootRole'])}.`,
  );
}

function isKnown(permission: string): permission is Permission {
  return Object.hasOwn(permissions, permission);
}
