import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { findMissingProjectsAndEnvironments } from '@yardarm/shared/contracts/flags';
import { type ApiTokenScope, refusePlaces } from './api-token.ts';

/**
 * Throws `bad-data` unless flags knows the projects and the environment of the scope. Call it before a transaction,
 * never within one.
 */
export async function requirePlaces(bus: Bus, scope: ApiTokenScope, context: RequestContext): Promise<void> {
  if (scope.environment === null) return;
  const projects = scope.projects.filter((project) => project !== '*');
  refusePlaces(
    await bus.request(findMissingProjectsAndEnvironments, { projects, environments: [scope.environment] }, context),
  );
}
