import { type Grant, isPermission, type Permission, permissions } from '@yardarm/shared/contracts';
import {
  listedPermission,
  permissionOfId,
  type RoleDefinition,
  type RoleWithPermissions,
} from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** A role as it is stored. Predefined: 1 Admin, 2 Editor, 3 Viewer (root), 4 Owner, 5 Member (project). */
export interface StoredRole {
  id: number;
  type: 'root' | 'root-custom' | 'project' | 'custom';
  name: string;
  description: string;
}

/** The roles that requests without a choice fall back on, and those that rules name. */
export const adminRoleId = 1;
export const viewerRoleId = 3;

/** One row of what a role may do; without an environment it holds in all of them. */
export interface RolePermission {
  permission: string;
  environment: string | null;
}

/** A role that somebody has, by themselves or through a group: everywhere (`projects` null), or in projects. */
export interface GrantedRole {
  projects: string[] | null;
  permissions: RolePermission[];
}

/**
 * What the holder of these roles may do. A permission of root scope is worth nothing in a project role, and one that this code does not
 * know (written by a newer release during its roll-out) grants nothing here.
 */
export function grantsOf(roles: readonly GrantedRole[]): Grant[] {
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

/** The wire shape with what the role permits; a permission that this code does not know is not shown. */
export function toRoleWithPermissions(role: StoredRole, held: readonly RolePermission[]): RoleWithPermissions {
  const shown = held.flatMap(({ permission, environment }) =>
    isPermission(permission) ? [listedPermission(permission, environment)] : [],
  );
  return { ...toRole(role), permissions: shown };
}

/** What an event says of a role. */
export function roleEventData(role: StoredRole, held: readonly RolePermission[]): Record<string, unknown> {
  const named = held.map(({ permission, environment }) => ({
    name: permission,
    ...(environment !== null && { environment }),
  }));
  return { ...role, permissions: named };
}

/** All that happens to a role is published in order. */
export function roleOrderingKey(roleId: number): string {
  return `role:${roleId}`;
}

/**
 * What a custom role of this type will permit, each once, or `bad-data` naming the property and the value. No custom role holds `ADMIN`; a
 * custom project role holds nothing of root scope; an environment stands only where the permission is per environment. A permission with
 * both id and name is the one that is named: ids are those of one release of one product.
 */
export function decidePermissions(type: StoredRole['type'], asked: RoleDefinition['permissions']): RolePermission[] {
  const decided = new Map<string, RolePermission>();
  asked.forEach(({ id, name = permissionOfId(id ?? 0), environment = null }, index) => {
    const at = `.permissions[${index}]`;
    if (name === undefined) throw refused(`${at}.id`, 'should be the id of a permission', id);
    if (!isPermission(name)) throw refused(`${at}.name`, 'should be the name of a permission', name);
    if (name === 'ADMIN')
      throw refused(`${at}.name`, 'should be less than ADMIN, which the role Admin alone holds', name);
    const { scope } = permissions[name];
    if (type === 'custom' && scope === 'root')
      throw refused(
        `${at}.name`,
        'should be a permission of a project or an environment, in a role for projects',
        name,
      );
    if (scope !== 'environment' && environment !== null)
      throw refused(`${at}.environment`, `should be absent: ${name} is not per environment`, environment);
    decided.set(JSON.stringify([name, environment]), { permission: name, environment });
  });
  return [...decided.values()];
}

/** Throws `bad-data` naming the first environment of the definition that is among the missing ones. */
export function refuseEnvironments(missing: readonly string[], asked: RoleDefinition['permissions']): void {
  asked.forEach(({ environment }, index) => {
    if (typeof environment === 'string' && missing.includes(environment))
      throw refused(`.permissions[${index}].environment`, 'should be the name of an environment', environment);
  });
}

/** Throws `bad-data` for a role that comes with Yardarm: it can be neither changed nor deleted. */
export function requireCustom(role: StoredRole): void {
  if (role.type === 'root-custom' || role.type === 'custom') return;
  throw new AppError('bad-data', `The role "${role.name}" is predefined: it can be neither changed nor deleted.`);
}

/** Throws `bad-data` when a definition would make another type of a role: whoever has it has it at places of that type. */
export function requireSameType(role: StoredRole, type: RoleDefinition['type']): void {
  if (type !== undefined && type !== role.type)
    throw refused('.type', `should be ${role.type}, since the type of a role stays`, type);
}

/** Whether two roles permit the same, in whatever order. */
export function permitsSame(one: readonly RolePermission[], other: readonly RolePermission[]): boolean {
  const sorted = (held: readonly RolePermission[]) =>
    JSON.stringify(held.map(({ permission, environment }) => [permission, environment ?? '']).sort());
  return sorted(one) === sorted(other);
}

/** `name-exists` of a name that another role has. */
export function roleNameTaken(name: string): AppError {
  return new AppError('name-exists', `There is already a role called ${redactValue(name, ['name'])}.`);
}

/** `not-found` of a role. */
export function roleNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the role with ID "${id}".`);
}

/** `role-in-use` of a role that somebody has. */
export function roleInUse({ name }: StoredRole): AppError {
  return new AppError(
    'role-in-use',
    `The role "${name}" is in use: take it from every user, service account, group and project before you delete it.`,
  );
}

function refused(property: string, rule: string, value: unknown): AppError {
  return new AppError('bad-data', `The ${property} property ${rule}. You sent ${redactValue(value, [])}.`);
}

/** Throws `bad-data` naming the property and the value unless it is the id of a root role. */
export function requireRootRole(id: number, rootRoles: readonly StoredRole[]): void {
  if (rootRoles.some((role) => role.id === id)) return;
  const choices = rootRoles.map((role) => `${role.id} (${role.name})`).join(', ');
  throw new AppError(
    'bad-data',
    `The .rootRole property should be the id of a root role: ${choices}. You sent ${redactValue(id, ['rootRole'])}.`,
  );
}
