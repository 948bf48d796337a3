import type { RequestContext } from '@yardarm/shared/bus';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { SignalsResources } from '../resources.ts';
import { beginReading } from '../runs/positions.repo.ts';
import { actionSetEvent, actionSetNotFound, toActionSet } from './action-set.ts';
import { findActionSet, lockActionSet, updateEnabled } from './action-sets.repo.ts';

/** A set that already has the state stays as it is: it continues to match the signals since it was enabled. */
export async function switchActionSet(
  { db, bus, setEnabled }: SignalsResources,
  { projectId, actionSetId, enabled }: { projectId: string; actionSetId: number; enabled: boolean },
  context: RequestContext,
): Promise<ActionSet> {
  const origin = eventOrigin(context);
  const end = enabled ? await bus.streamInfo('SIGNALS') : null;
  const stored = await db.transaction(async (trx) => {
    const found = end && (await findActionSet(trx, projectId, actionSetId));
    if (end && found) await beginReading(trx, found.sourceId, end);
    const before = await lockActionSet(trx, projectId, actionSetId);
    if (!before) throw actionSetNotFound(actionSetId);
    if (before.enabled === enabled) return before;
    // Another update changed the endpoint before the set was locked.
    if (end && before.sourceId !== found?.sourceId) await beginReading(trx, before.sourceId, end);
    const after = await updateEnabled(trx, before, enabled);
    appendEvent(trx, { ...actionSetEvent({ before, after }), ...origin });
    return after;
  });
  if (stored.enabled) setEnabled.wake();
  return toActionSet(stored);
}
