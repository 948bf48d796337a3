import { type Bus, type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import { findMissingProjectsAndEnvironments } from '@yardarm/shared/contracts/flags';
import { unknownPlaces } from './integration.ts';

interface Filters {
  projects: readonly string[];
  environments: readonly string[];
}

/**
 * Throws `bad-data` unless flags knows the projects and environments of the filters; `*` is all. Those that the
 * integration already has may be deleted since. Call it before a transaction, never within one.
 */
export async function requirePlaces(
  bus: Bus,
  filters: Filters,
  context: RequestContext,
  stored: Filters = { projects: [], environments: [] },
): Promise<void> {
  const added = {
    projects: [...new Set(filters.projects).difference(new Set([...stored.projects, '*']))],
    environments: [...new Set(filters.environments).difference(new Set([...stored.environments, '*']))],
  };
  if (added.projects.length === 0 && added.environments.length === 0) return;
  const missing = await requestBeforeChange(context, (inner) =>
    bus.request(findMissingProjectsAndEnvironments, added, inner),
  );
  const error = unknownPlaces(filters, missing);
  if (error) throw error;
}
