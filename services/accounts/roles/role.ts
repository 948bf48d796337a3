import { type Grant, isPermission, type Permission, permissions } from '@yardarm/shared/contracts';
import { AppError, shownValue } from '@yardarm/shared/errors';

/** A role as it is stored. Predefined: 1 Admin, 2 Editor, 3 Viewer (root), 4 Owner, 5 Member (project). */
export interface StoredRole {
  id: number;
  type: 'root' | 'root-custom' | 'project' | 'custom';
  name: string;
  description: string;
}

/** The roles that requests without a choice fall back on, and those that rules name. */
export const adminRoleId = 1;

/** One row of what a role may do; without an environment it holds in all of them. */
export interface RolePermission {
  permission: string;
  environment: string | null;
}

/** A role that somebody has, by themselves or through a group: everywhere (`projects` null), or in projects. */
export interface HeldRole {
  projects: string[] | null;
  permissions: RolePermission[];
}

/**
 * What the holder of these roles may do. A permission of root scope is worth nothing in a project role, and one that this code does not
 * know (written by a newer release during its roll-out) grants nothing here.
 */
export function grantsOf(roles: readonly HeldRole[]): Grant[] {
  return roles.flatMap(({ projects, permissions: held }) => {
    const byEnvironment = new Map<string | null, Permission[]>();
    for (const { permission, environment } of held) {
      if (!isPermission(permission)) continue;
      if (projects !== null && permissions[permission].scope === 'root') continue;
      byEnvironment.set(environment, [...(byEnvironment.get(environment) ?? []), permission]);
    }
    return [...byEnvironment].map(
      ([environment, granted]): Grant => ({
        permissions: granted,
        ...(projects !== null && { projects }),
        ...(environment !== null && { environment }),
      }),
    );
  });
}

/** The wire shape. */
export function toRole(role: StoredRole): StoredRole & { project: null } {
  return { ...role, project: null };
}

/** Throws `bad-data` naming the property and the value unless it is the id of a root role. */
export function requireRootRole(id: number, rootRoles: readonly StoredRole[]): void {
  if (rootRoles.some((role) => role.id === id)) return;
  const choices = rootRoles.map((role) => `${role.id} (${role.name})`).join(', ');
  throw new AppError(
    'bad-data',
    `The .rootRole property should be the id of a root role: ${choices}. You sent ${shownValue(id, ['rootRole'])}.`,
  );
}
