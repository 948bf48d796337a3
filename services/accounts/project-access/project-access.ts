import { can } from '@yardarm/shared/auth';
import { type Actor, isPermission, permissions } from '@yardarm/shared/contracts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { RolePermission, StoredRole } from '../roles/role.ts';

/** Who can have a role in a project. */
export type HolderKind = 'user' | 'group';

/** Who has one role in a project. */
export interface RoleHolders {
  id: number;
  users: number[];
  groups: number[];
}

/** One role of one user or group in a project. */
export interface ProjectGrant {
  roleId: number;
  holderId: number;
}

/** What each user, or each group, is to hold. */
export function grantedBy(kind: HolderKind, roles: readonly RoleHolders[]): ProjectGrant[] {
  return roles.flatMap((role) => role[`${kind}s`].map((holderId) => ({ roleId: role.id, holderId })));
}

/** The ids of whoever does not hold the same before and after. */
export function holdersChanging(before: readonly ProjectGrant[], after: readonly ProjectGrant[]): number[] {
  const keyed = (held: readonly ProjectGrant[]) =>
    new Map(held.map(({ roleId, holderId }) => [`${roleId} ${holderId}`, holderId]));
  const [held, asked] = [keyed(before), keyed(after)];
  return sorted(
    [...held, ...asked].filter(([key]) => held.has(key) !== asked.has(key)).map(([, holderId]) => holderId),
  );
}

/** The access to a project as events tell it: each role that somebody has, once, and whoever has it, once, all by rising ids. */
export function accessOf(users: readonly ProjectGrant[], groups: readonly ProjectGrant[]): RoleHolders[] {
  const ids = sorted([...users, ...groups].map(({ roleId }) => roleId));
  const holdersOf = (held: readonly ProjectGrant[], id: number) =>
    sorted(held.filter(({ roleId }) => roleId === id).map(({ holderId }) => holderId));
  return ids.map((id) => ({ id, users: holdersOf(users, id), groups: holdersOf(groups, id) }));
}

/** The ids of the roles that not the same users and groups have before and after. */
export function rolesChanging(before: readonly RoleHolders[], after: readonly RoleHolders[]): Set<number> {
  const told = (roles: readonly RoleHolders[]) => new Map(roles.map((role) => [role.id, JSON.stringify(role)]));
  const [dataBefore, dataAfter] = [told(before), told(after)];
  return new Set([...dataBefore.keys(), ...dataAfter.keys()].filter((id) => dataBefore.get(id) !== dataAfter.get(id)));
}

function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

export interface RoleWithItsPermissions extends StoredRole {
  permissions: RolePermission[];
}

/**
 * Whether the actor may give or take this permission in the project: whoever holds it there, in the environment in which it holds, or in all
 * of them when it does in all. Nobody gives more than they have, so no chain of gifts ends in more than its first giver had; nobody
 * takes more either, so that somebody who may less cannot shut out who may more.
 */
export function mayGrant(actor: Actor, { permission, environment }: RolePermission, project: string): boolean {
  // A newer release may have written a permission that this code cannot judge; an admin's word is good for it.
  if (!isPermission(permission)) return can(actor, 'ADMIN');
  // Worth nothing in a project, whoever has it.
  if (permissions[permission].scope === 'root') return true;
  return can(actor, permission, { project, environment: environment ?? undefined });
}

/** Throws `no-access` naming the first permission of the roles that the actor may not give or take in the project. */
export function requireMayGrant(actor: Actor, roles: readonly RoleWithItsPermissions[], project: string): void {
  const lacked = roles.flatMap((role) => role.permissions).find((each) => !mayGrant(actor, each, project));
  if (!lacked) return;
  const where = lacked.environment === null ? '' : ` in the "${lacked.environment}" environment`;
  throw new AppError(
    'no-access',
    `You need the "${lacked.permission}" permission to perform this action${where}: nobody gives or takes a role that permits more than they may themselves.`,
  );
}

/** Throws `bad-data` naming the first of the asked ids that is no role for projects. */
export function requireProjectRoles(
  asked: readonly number[],
  roles: readonly StoredRole[],
  property: 'roles[]' | 'roles[].id' = 'roles[]',
): void {
  const fitting = new Set(roles.filter(({ type }) => type === 'project' || type === 'custom').map(({ id }) => id));
  requireEach(property, asked, fitting, 'a role for projects');
}

/**
 * Throws `bad-data` naming the first of the asked ids that is not among these. In `property` its place goes between the empty brackets;
 * `what` says of what it should be the id.
 */
export function requireEach(
  property: `${string}[]${string}`,
  asked: readonly number[],
  found: ReadonlySet<number>,
  what: string,
): void {
  const index = asked.findIndex((id) => !found.has(id));
  if (index === -1) return;
  const sent = redactValue(asked[index], []);
  const place = property.replace('[]', `[${index}]`);
  throw new AppError('bad-data', `The .${place} property should be the id of ${what}. You sent ${sent}.`);
}

/** What an event says of somebody's roles in a project. */
export function rolesEventData(kind: HolderKind, id: number, roles: readonly number[]): Record<string, unknown> {
  return { [kind === 'user' ? 'userId' : 'groupId']: id, roles };
}

/** All that happens to the access to a project is published in order. */
export function projectAccessOrderingKey(project: string): string {
  return `project-access:${project}`;
}

/** `not-found` of a project. */
export function projectNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(id, [])}.`);
}

/** `not-found` of somebody who could have a role. */
export function holderNotFound(kind: HolderKind, id: number): AppError {
  return new AppError('not-found', `Could not find the ${kind} with ID "${id}".`);
}
