import { can } from '@yardarm/shared/auth';
import { type Actor, isPermission, permissions } from '@yardarm/shared/contracts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { RolePermission, StoredRole } from '../roles/role.ts';

export type HolderKind = 'user' | 'group';

/** A role and the users and groups that have it in a project. */
export interface RoleHolders {
  id: number;
  users: number[];
  groups: number[];
}

export interface ProjectGrant {
  roleId: number;
  holderId: number;
}

export function grantedBy(kind: HolderKind, roles: readonly RoleHolders[]): ProjectGrant[] {
  return roles.flatMap((role) => role[`${kind}s`].map((holderId) => ({ roleId: role.id, holderId })));
}

/** The ids of the users or groups whose roles differ, sorted. */
export function changedHolders(before: readonly ProjectGrant[], after: readonly ProjectGrant[]): number[] {
  const keyed = (grants: readonly ProjectGrant[]) =>
    new Map(grants.map(({ roleId, holderId }) => [`${roleId} ${holderId}`, holderId]));
  const [old, next] = [keyed(before), keyed(after)];
  return sorted([...old, ...next].filter(([key]) => old.has(key) !== next.has(key)).map(([, holderId]) => holderId));
}

/** The access to a project as in events: each granted role once, with its holders once, sorted by id. */
export function accessOf(users: readonly ProjectGrant[], groups: readonly ProjectGrant[]): RoleHolders[] {
  const ids = sorted([...users, ...groups].map(({ roleId }) => roleId));
  const holdersOf = (grants: readonly ProjectGrant[], id: number) =>
    sorted(grants.filter(({ roleId }) => roleId === id).map(({ holderId }) => holderId));
  return ids.map((id) => ({ id, users: holdersOf(users, id), groups: holdersOf(groups, id) }));
}

export function changedRoles(before: readonly RoleHolders[], after: readonly RoleHolders[]): Set<number> {
  const serialized = (roles: readonly RoleHolders[]) => new Map(roles.map((role) => [role.id, JSON.stringify(role)]));
  const [old, next] = [serialized(before), serialized(after)];
  return new Set([...old.keys(), ...next.keys()].filter((id) => old.get(id) !== next.get(id)));
}

function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

export interface RoleWithItsPermissions extends StoredRole {
  permissions: RolePermission[];
}

/**
 * Whether the actor may grant or revoke this permission in the project. The actor must have it there, in the same
 * environment or in all. No chain of grants exceeds what its first actor had. Revoking needs the same, so that an
 * actor with fewer permissions cannot lock out one with more.
 */
export function canGrant(actor: Actor, { permission, environment }: RolePermission, project: string): boolean {
  // A newer release may have written a permission that this code does not know. Only an admin may grant it.
  if (!isPermission(permission)) return can(actor, 'ADMIN');
  // A root permission has no effect in a project, so anyone may grant it.
  if (permissions[permission].scope === 'root') return true;
  return can(actor, permission, { project, environment: environment ?? undefined });
}

/** Throws `no-access` with the first permission of the roles that the actor may not grant or revoke in the project. */
export function requireCanGrant(actor: Actor, roles: readonly RoleWithItsPermissions[], project: string): void {
  const missing = roles.flatMap((role) => role.permissions).find((each) => !canGrant(actor, each, project));
  if (!missing) return;
  const where = missing.environment === null ? '' : ` in the "${missing.environment}" environment`;
  throw new AppError(
    'no-access',
    `You need the "${missing.permission}" permission to perform this action${where}: you cannot grant or revoke a role that permits more than you may do yourself.`,
  );
}

export function requireProjectRoles(
  requested: readonly number[],
  roles: readonly StoredRole[],
  property: 'roles[]' | 'roles[].id' = 'roles[]',
): void {
  const projectRoles = new Set(roles.filter(({ type }) => type === 'project' || type === 'custom').map(({ id }) => id));
  requireEach(property, requested, projectRoles, 'a role for projects');
}

/** Throws `bad-data` with the first id that was not found. Its index goes into the empty brackets of `property`. */
export function requireEach(
  property: `${string}[]${string}`,
  requested: readonly number[],
  found: ReadonlySet<number>,
  what: string,
): void {
  const index = requested.findIndex((id) => !found.has(id));
  if (index === -1) return;
  const sent = redactValue(requested[index], []);
  const path = property.replace('[]', `[${index}]`);
  throw new AppError('bad-data', `The .${path} property should be the id of ${what}. You sent ${sent}.`);
}

export function rolesEventData(kind: HolderKind, id: number, roles: readonly number[]): Record<string, unknown> {
  return { [kind === 'user' ? 'userId' : 'groupId']: id, roles };
}

export function projectAccessOrderingKey(project: string): string {
  return `project-access:${project}`;
}

export function projectNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(id, [])}.`);
}

export function holderNotFound(kind: HolderKind, id: number): AppError {
  return new AppError('not-found', `Could not find the ${kind} with ID "${id}".`);
}
