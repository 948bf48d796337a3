import type { Actor } from '../contracts/actor.ts';
import { type Permission, permissions } from '../contracts/permissions.ts';
import { AppError } from '../errors/index.ts';

export interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

/**
 * Whether the actor has the permission at the place. `ADMIN` includes every permission. A grant without projects or
 * without an environment applies to all of them. A place without a project requires the permission in all projects.
 */
export function can(actor: Actor, permission: Permission, place: Place = {}): boolean {
  return actor.grants.some(
    (grant) =>
      grant.permissions.includes('ADMIN') ||
      (grant.permissions.includes(permission) &&
        (grant.projects === undefined || (place.project !== undefined && grant.projects.includes(place.project))) &&
        (grant.environment === undefined || grant.environment === place.environment)),
  );
}

/** Throws `no-access` unless the actor has the permission, or one of several. */
export function requirePermission(actor: Actor, required: Permission | readonly Permission[], place: Place = {}): void {
  const accepted = typeof required === 'string' ? [required] : required;
  if (accepted.some((permission) => can(actor, permission, place))) return;
  throw noAccess(accepted, place);
}

/** The error of an actor without any of the permissions. It names them, and the environment if one of them has one. */
export function noAccess(accepted: readonly Permission[], place: Place): AppError {
  const names = accepted.map((permission) => `"${permission}"`);
  const what = names.length === 1 ? `the ${names[0]} permission` : `one of the permissions ${names.join(', ')}`;
  const isPerEnvironment = accepted.some((permission) => permissions[permission].scope === 'environment');
  const where = isPerEnvironment && place.environment !== undefined ? ` in the "${place.environment}" environment` : '';
  return new AppError('no-access', `You need ${what} to perform this action${where}.`);
}
