import type { RequestContext } from '@yardarm/shared/bus';
import type { ActionSet, NewActionSet } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { SignalsResources } from '../resources.ts';
import { beginReading } from '../runs/positions.repo.ts';
import {
  actionSetEvent,
  actionSetNameTaken,
  projectNotFound,
  requireBelowSetLimit,
  toActionSet,
} from './action-set.ts';
import { actionSetNameConstraint, insertActionSet, lockSetCount } from './action-sets.repo.ts';
import { isDeletedProject } from './deleted-projects.repo.ts';
import { requireActionSet } from './require-action-set.ts';

/** Concurrent creations in a project wait for each other, so that together they cannot exceed the limit. */
export async function createActionSet(
  resources: SignalsResources,
  { projectId, actionSet }: { projectId: string; actionSet: NewActionSet },
  context: RequestContext,
): Promise<ActionSet> {
  const { db, bus, actionSetLimits } = resources;
  const origin = eventOrigin(context);
  const project = await requireActionSet(resources, projectId, actionSet, context);
  const end = actionSet.enabled ? await bus.streamInfo('SIGNALS') : null;
  try {
    const stored = await db.transaction(async (trx) => {
      requireBelowSetLimit(await lockSetCount(trx, projectId), actionSetLimits.setsPerProject, projectId);
      if (await isDeletedProject(trx, project)) throw projectNotFound(projectId);
      if (end !== null) await beginReading(trx, actionSet.match.sourceId, end);
      const set = await insertActionSet(trx, project, actionSet, origin.actor.id);
      appendEvent(trx, { ...actionSetEvent({ after: set }), ...origin });
      return set;
    });
    if (stored.enabled) resources.setEnabled.wake();
    return toActionSet(stored);
  } catch (error) {
    if (isUniqueViolation(error, actionSetNameConstraint)) throw actionSetNameTaken(actionSet.name, projectId);
    throw error;
  }
}
