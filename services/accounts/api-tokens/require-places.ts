import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { findMissingPlaces } from '@yardarm/shared/contracts/flags';
import { type ApiTokenScope, refusePlaces } from './api-token.ts';

/** Throws `bad-data` unless flags knows all places of the scope. Call it before a transaction, never within one. */
export async function requirePlaces(bus: Bus, scope: ApiTokenScope, context: RequestContext): Promise<void> {
  if (scope.environment === null) return;
  const projects = scope.projects.filter((project) => project !== '*');
  refusePlaces(await bus.request(findMissingPlaces, { projects, environments: [scope.environment] }, context));
}
