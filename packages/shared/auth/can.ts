import type { Actor } from '../contracts/actor.ts';
import { type Permission, permissions } from '../contracts/permissions.ts';
import { AppError } from '../errors/index.ts';

/** Where a permission is asked for. */
export interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

/**
 * Whether the actor holds the permission at that place. `ADMIN` holds everything everywhere; a grant without a project holds in
 * every project, one without an environment in every environment. Asking for a project permission without naming the project
 * asks for it everywhere.
 */
export function can(actor: Actor, permission: Permission, place: Place = {}): boolean {
  return actor.grants.some(
    (grant) =>
      grant.permission === 'ADMIN' ||
      (grant.permission === permission &&
        (grant.project === undefined || grant.project === place.project) &&
        (grant.environment === undefined || grant.environment === place.environment)),
  );
}

/** Throws `no-access` naming the permission, and the environment where the permission is per environment, unless the actor holds it. */
export function requirePermission(actor: Actor, permission: Permission, place: Place = {}): void {
  if (can(actor, permission, place)) return;
  const where =
    permissions[permission] === 'environment' && place.environment !== undefined
      ? ` in the "${place.environment}" environment`
      : '';
  throw new AppError('no-access', `You need the "${permission}" permission to perform this action${where}.`);
}
