import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { findMissingPlaces } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { type ApiTokenScope, requirePlaces } from './api-token.ts';

/** Throws `bad-data` unless flags knows every project and the environment of the scope. Not to be asked with a transaction open. */
export async function requirePlacesOf(bus: Bus, scope: ApiTokenScope, context: RequestContext): Promise<void> {
  if (scope.environment === null) return;
  const projects = scope.projects.filter((project) => project !== '*');
  requirePlaces(await bus.request(findMissingPlaces, { projects, environments: [scope.environment] }, context));
}

/** Throws `not-found` unless flags knows the project of a path. */
export async function requireProject(bus: Bus, projectId: string, context: RequestContext): Promise<void> {
  const missing = await bus.request(findMissingPlaces, { projects: [projectId], environments: [] }, context);
  if (missing.projects.length > 0) {
    throw new AppError('not-found', `Could not find the project "${projectId.slice(0, 100)}".`);
  }
}
