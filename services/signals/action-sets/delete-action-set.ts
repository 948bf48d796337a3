import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { SignalsResources } from '../resources.ts';
import { actionSetEvent, actionSetNotFound } from './action-set.ts';
import { deleteActionSets, lockActionSet } from './action-sets.repo.ts';

export async function deleteActionSet(
  { db }: SignalsResources,
  { projectId, actionSetId }: { projectId: string; actionSetId: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  await db.transaction(async (trx) => {
    const before = await lockActionSet(trx, projectId, actionSetId);
    if (!before) throw actionSetNotFound(actionSetId);
    await deleteActionSets(trx, [actionSetId]);
    appendEvent(trx, { ...actionSetEvent({ before }), ...origin });
  });
}
