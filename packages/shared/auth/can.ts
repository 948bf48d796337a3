import type { Actor } from '../contracts/actor.ts';
import { type Permission, permissions } from '../contracts/permissions.ts';
import { AppError } from '../errors/index.ts';

/** Where a permission is asked for. */
export interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

/**
 * Whether the actor holds the permission at that place. `ADMIN` holds everything everywhere; a grant without projects holds in
 * every project, one without an environment in every environment. Asking for a project permission without naming the project
 * asks for it everywhere.
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

/** Throws `no-access` unless the actor holds the permission, or one of them. */
export function requirePermission(actor: Actor, required: Permission | readonly Permission[], place: Place = {}): void {
  const accepted = typeof required === 'string' ? [required] : required;
  if (accepted.some((permission) => can(actor, permission, place))) return;
  throw noAccess(accepted, place);
}

/** The refusal of whoever holds none of the permissions; it names them, and the environment where a permission is per environment. */
export function noAccess(accepted: readonly Permission[], place: Place): AppError {
  const names = accepted.map((permission) => `"${permission}"`);
  const what = names.length === 1 ? `the ${names[0]} permission` : `one of the permissions ${names.join(', ')}`;
  const isPerEnvironment = accepted.some((permission) => permissions[permission].scope === 'environment');
  const where = isPerEnvironment && place.environment !== undefined ? ` in the "${place.environment}" environment` : '';
  return new AppError('no-access', `You need ${what} to perform this action${where}.`);
}
