import { type Bus, type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import { findMissingProjectsAndEnvironments, type Incarnation } from '@yardarm/shared/contracts/flags';
import type { ApiTokenScope } from './api-token.ts';

/** What flags knows and misses of the projects and the environment of the scope. Never called in a transaction. */
export async function findPlaces(
  bus: Bus,
  scope: ApiTokenScope,
  context: RequestContext,
): Promise<{ projects: string[]; environments: string[]; found: Incarnation[] }> {
  if (scope.environment === null) return { projects: [], environments: [], found: [] };
  const projects = scope.projects.filter((project) => project !== '*');
  const places = { projects, environments: [scope.environment] };
  return requestBeforeChange(context, (inner) => bus.request(findMissingProjectsAndEnvironments, places, inner));
}
