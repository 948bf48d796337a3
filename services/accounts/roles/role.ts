import { type Grant, isPermission, type Permission, permissions } from '@yardarm/shared/contracts';
import {
  listedPermission,
  permissionOfId,
  type RoleDefinition,
  type RoleWithPermissions,
} from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** Predefined roles: 1 Admin, 2 Editor, 3 Viewer (root), 4 Owner, 5 Member (project). */
export interface StoredRole {
  id: number;
  type: 'root' | 'root-custom' | 'project' | 'custom';
  name: string;
  description: string;
}

export const adminRoleId = 1;
export const ownerRoleId = 4;
export const viewerRoleId = 3;

/** A permission of a role; without an environment it applies in all of them. */
export interface RolePermission {
  permission: string;
  environment: string | null;
}

/** A role granted to a user, directly or through a group: everywhere (`projects` null) or in projects. */
export interface GrantedRole {
  projects: string[] | null;
  /** When it was granted in each of the projects, in microseconds since 1970, in the same order: the oldest first. */
  since: number[] | null;
  permissions: RolePermission[];
}

/**
 * What the grants of an actor may have in the message of a request, which has 1 MiB with a body of 500 kB or more. It
 * is far above honest use: 500 projects, the default limit, with names of 20 characters and a role of ten environments
 * take 115 kB.
 */
const maxGrantBytes = 300_000;

/**
 * The grants of these roles. A permission of root scope has no effect in a project role. A permission that this code
 * does not know, written by a newer release during its roll-out, grants nothing.
 *
 * An administrator has one grant, which includes all others. Of an actor whose grants exceed `maxGrantBytes`, the roles
 * in projects that were granted last have no effect. Every service would refuse an actor that fits no message, and
 * an owner of projects can grant roles there to anybody. Roles that were granted earlier stay.
 */
export function grantsOf(roles: readonly GrantedRole[]): Grant[] {
  if (roles.some(isAdmin)) return [{ permissions: ['ADMIN'] }];
  const grants = allGrantsOf(roles);
  const excess = JSON.stringify(grants).length - maxGrantBytes;
  return excess > 0 ? allGrantsOf(withoutNewest(roles, excess)) : grants;
}

function isAdmin({ projects, permissions: rolePermissions }: GrantedRole): boolean {
  return projects === null && rolePermissions.some(({ permission }) => permission === 'ADMIN');
}

/** The roles without the projects in which they were granted last, so that their grants have `bytes` less. */
function withoutNewest(roles: readonly GrantedRole[], bytes: number): GrantedRole[] {
  const newestFirst = roles
    .flatMap((role, index) => {
      const { projects, since } = role;
      // A grant for each environment repeats the names.
      const copies = allGrantsOf([role]).length;
      return (projects ?? []).map((project, place) => ({
        index,
        bytes: copies * (project.length + 2),
        at: since![place]!,
      }));
    })
    .sort((one, other) => other.at - one.at);
  const kept = roles.map(({ projects }) => projects?.length ?? 0);
  let left = bytes;
  for (const newest of newestFirst) {
    if (left <= 0) break;
    left -= newest.bytes;
    kept[newest.index]! -= 1;
  }
  return roles.map((role, index) => ({ ...role, projects: role.projects?.slice(0, kept[index]) ?? null }));
}

function allGrantsOf(roles: readonly GrantedRole[]): Grant[] {
  return roles.flatMap(({ projects, permissions: rolePermissions }) => {
    const byEnvironment = new Map<string | null, Permission[]>();
    for (const { permission, environment } of rolePermissions) {
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

export function toRole(role: StoredRole): StoredRole & { project: null } {
  return { ...role, project: null };
}

/** Leaves out permissions that this code does not know. */
export function toRoleWithPermissions(role: StoredRole, stored: readonly RolePermission[]): RoleWithPermissions {
  const known = stored.flatMap(({ permission, environment }) =>
    isPermission(permission) ? [listedPermission(permission, environment)] : [],
  );
  return { ...toRole(role), permissions: known };
}

export function roleEventData(role: StoredRole, stored: readonly RolePermission[]): Record<string, unknown> {
  const named = stored.map(({ permission, environment }) => ({
    name: permission,
    ...(environment !== null && { environment }),
  }));
  return { ...role, permissions: named };
}

export function roleOrderingKey(roleId: number): string {
  return `role:${roleId}`;
}

/**
 * The permissions of a custom role of this type, without duplicates; throws `bad-data` with the property and the
 * value. No custom role has `ADMIN`. A custom project role has no permission of root scope. Only permissions of
 * environment scope may have an environment. A permission with both id and name is found by its name: ids are those of
 * one release of one product.
 */
export function decidePermissions(
  type: StoredRole['type'],
  requested: RoleDefinition['permissions'],
): RolePermission[] {
  const decided = new Map<string, RolePermission>();
  requested.forEach(({ id, name = permissionOfId(id ?? 0), environment = null }, index) => {
    const path = `.permissions[${index}]`;
    if (name === undefined) throw refused(`${path}.id`, 'should be the id of a permission', id);
    if (!isPermission(name)) throw refused(`${path}.name`, 'should be the name of a permission', name);
    if (name === 'ADMIN')
      throw refused(`${path}.name`, 'should be less than ADMIN, which the role Admin alone holds', name);
    const { scope } = permissions[name];
    if (type === 'custom' && scope === 'root')
      throw refused(
        `${path}.name`,
        'should be a permission of a project or an environment, in a role for projects',
        name,
      );
    if (scope !== 'environment' && environment !== null)
      throw refused(`${path}.environment`, `should be absent: ${name} is not per environment`, environment);
    decided.set(JSON.stringify([name, environment]), { permission: name, environment });
  });
  return [...decided.values()];
}

export function refuseEnvironments(missing: readonly string[], requested: RoleDefinition['permissions']): void {
  requested.forEach(({ environment }, index) => {
    if (typeof environment === 'string' && missing.includes(environment))
      throw refused(`.permissions[${index}].environment`, 'should be the name of an environment', environment);
  });
}

export function requireCustom(role: StoredRole): void {
  if (role.type === 'root-custom' || role.type === 'custom') return;
  throw new AppError('bad-data', `The role "${role.name}" is predefined: it can be neither changed nor deleted.`);
}

/** Throws `bad-data` when the type of a role would change: its grants depend on the type. */
export function requireSameType(role: StoredRole, type: RoleDefinition['type']): void {
  if (type !== undefined && type !== role.type)
    throw refused('.type', `should be ${role.type}, since the type of a role stays`, type);
}

/** Whether both have the same permissions, in any order. */
export function permitsSame(one: readonly RolePermission[], other: readonly RolePermission[]): boolean {
  const sorted = (list: readonly RolePermission[]) =>
    JSON.stringify(list.map(({ permission, environment }) => [permission, environment ?? '']).sort());
  return sorted(one) === sorted(other);
}

export function roleNameTaken(name: string): AppError {
  return new AppError('name-exists', `There is already a role called ${redactValue(name, ['name'])}.`);
}

export function roleNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the role with ID "${id}".`);
}

export function roleInUse({ name }: StoredRole): AppError {
  return new AppError(
    'role-in-use',
    `The role "${name}" is in use: take it from every user, service account, group and project before you delete it.`,
  );
}

function refused(property: string, rule: string, value: unknown): AppError {
  return new AppError('bad-data', `The ${property} property ${rule}. You sent ${redactValue(value, [])}.`);
}

export function requireRootRole(id: number, rootRoles: readonly StoredRole[]): void {
  if (rootRoles.some((role) => role.id === id)) return;
  const choices = rootRoles.map((role) => `${role.id} (${role.name})`).join(', ');
  throw new AppError(
    'bad-data',
    `The .rootRole property should be the id of a root role: ${choices}. You sent ${redactValue(id, ['rootRole'])}.`,
  );
}
