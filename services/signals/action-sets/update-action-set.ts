import type { RequestContext } from '@yardarm/shared/bus';
import type { ActionSet, NewActionSet } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { SignalsResources } from '../resources.ts';
import { beginReading } from '../runs/positions.repo.ts';
import {
  actionSetEvent,
  actionSetNameTaken,
  actionSetNotFound,
  haveSameActions,
  isSameActionSet,
  toActionSet,
} from './action-set.ts';
import {
  actionSetNameConstraint,
  findActionSet,
  lockActionSet,
  updateActionSetRow,
  updateProject,
} from './action-sets.repo.ts';
import { requireActionSet } from './require-action-set.ts';

/**
 * Replaces a set. It matches signals since it was enabled, so a set that is enabled by the update, or gets another
 * endpoint, starts with the signals that are created from then on.
 */
export async function updateActionSet(
  resources: SignalsResources,
  input: { projectId: string; actionSetId: number; actionSet: NewActionSet },
  context: RequestContext,
): Promise<ActionSet> {
  const { projectId, actionSetId, actionSet } = input;
  const { db, bus } = resources;
  const origin = eventOrigin(context);
  if (!(await findActionSet(db.kysely, projectId, actionSetId))) throw actionSetNotFound(actionSetId);
  const project = await requireActionSet(resources, projectId, actionSet, context);
  const end = actionSet.enabled ? await bus.streamInfo('SIGNALS') : null;
  try {
    const stored = await db.transaction(async (trx) => {
      if (end !== null) await beginReading(trx, actionSet.match.sourceId, end);
      const before = await lockActionSet(trx, projectId, actionSetId);
      if (!before) throw actionSetNotFound(actionSetId);
      await updateProject(trx, actionSetId, project);
      if (isSameActionSet(before, actionSet)) return before;
      const after = await updateActionSetRow(trx, before, actionSet, {
        restarts: before.enabled !== actionSet.enabled || before.sourceId !== actionSet.match.sourceId,
        replacesActions: !haveSameActions(before, actionSet),
        userId: origin.actor.id,
      });
      appendEvent(trx, { ...actionSetEvent({ before, after }), ...origin });
      return after;
    });
    if (stored.enabled) resources.setEnabled.wake();
    return toActionSet(stored);
  } catch (error) {
    if (isUniqueViolation(error, actionSetNameConstraint)) throw actionSetNameTaken(actionSet.name, projectId);
    throw error;
  }
}
