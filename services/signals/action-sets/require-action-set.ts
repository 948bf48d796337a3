import type { RequestContext } from '@yardarm/shared/bus';
import type { Incarnation } from '@yardarm/shared/contracts/flags';
import type { NewActionSet } from '@yardarm/shared/contracts/signals';
import { badProperty, throwFirst } from '@yardarm/shared/errors';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { actionSetErrors, type Path } from './check-action-set.ts';
import { requireReferences } from './require-references.ts';

/**
 * Throws unless the project may have the set. Returns the project as flags knows it. `path` is the property of the
 * request that is the set. Call it before a transaction, because it asks flags and accounts.
 */
export async function requireActionSet(
  { db, bus, actionSetLimits }: SignalsResources,
  projectId: string,
  set: NewActionSet,
  context: RequestContext,
  path: Path = [],
): Promise<Incarnation> {
  throwFirst(actionSetErrors(projectId, set, actionSetLimits, path));
  const { sourceId } = set.match;
  if (!(await hasEndpoint(db.kysely, sourceId))) {
    throw badProperty([...path, 'match', 'sourceId'], sourceId, 'should be the id of a signal endpoint');
  }
  return await requireReferences(bus, projectId, set, context, path);
}
