import type { RequestContext } from '@yardarm/shared/bus';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import type { SignalsResources } from '../resources.ts';
import { toActionSet } from './action-set.ts';
import { findActionSets } from './action-sets.repo.ts';
import { definitionsOf } from './definitions.ts';
import { findEnvironments } from './require-references.ts';

/** Oldest first, as of one moment. Only for an empty list, flags has to say whether the project exists. */
export async function listActionSets(
  { db, bus }: SignalsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
): Promise<{ actions: ActionSet[] }> {
  const sets = await db.transaction((trx) => findActionSets(trx, projectId), {
    isolation: 'repeatable read',
    readOnly: true,
  });
  if (sets.length === 0) await findEnvironments(bus, projectId, context);
  return { actions: sets.map(toActionSet) };
}

export async function describeActions(
  { bus }: SignalsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
) {
  return definitionsOf(projectId, await findEnvironments(bus, projectId, context));
}
