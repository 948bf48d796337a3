import type { Actor, Grant } from '../contracts/actor.ts';
import { type Permission, permissions } from '../contracts/permissions.ts';
import { AppError } from '../errors/index.ts';

export interface Place {
  project?: string | undefined;
  environment?: string | undefined;
}

export type PlaceOrAnywhere = Place | 'anywhere';

/**
 * Whether the actor has the permission at the place. `ADMIN` includes every permission. A grant without projects or
 * without an environment applies to all of them. A place without a project requires the permission in all projects.
 */
export function can(actor: Actor, permission: Permission, place: PlaceOrAnywhere = {}): boolean {
  return actor.grants.some(
    (grant) =>
      grant.permissions.includes('ADMIN') || (grant.permissions.includes(permission) && appliesAt(grant, place)),
  );
}

function appliesAt({ projects, environment }: Grant, place: PlaceOrAnywhere): boolean {
  if (place === 'anywhere') return projects === undefined || projects.length > 0;
  const isInProject = projects === undefined || (place.project !== undefined && projects.includes(place.project));
  return isInProject && (environment === undefined || environment === place.environment);
}

/** Throws `no-access` unless the actor has the permission, or one of several. */
export function requirePermission(
  actor: Actor,
  required: Permission | readonly Permission[],
  place: PlaceOrAnywhere = {},
): void {
  const accepted = typeof required === 'string' ? [required] : required;
  if (accepted.some((permission) => can(actor, permission, place))) return;
  throw noAccess(accepted, place);
}

/** The error of an actor without any of the permissions. It names them, and the environment if one of them has one. */
export function noAccess(accepted: readonly Permission[], place: PlaceOrAnywhere): AppError {
  const names = accepted.map((permission) => `"${permission}"`);
  const what = names.length === 1 ? `the ${names[0]} permission` : `one of the permissions ${names.join(', ')}`;
  const isPerEnvironment = accepted.some((permission) => permissions[permission].scope === 'environment');
  const environment = place === 'anywhere' ? undefined : place.environment;
  const where = isPerEnvironment && environment !== undefined ? ` in the "${environment}" environment` : '';
  return new AppError('no-access', `You need ${what} to perform this action${where}.`);
}
