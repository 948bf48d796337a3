import type { QueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { notSent, Problem } from '../api/problem.ts';
import { featureQuery } from '../api/queries.ts';
import { canConflict, conflictOf, type Flag, isDone } from './after.ts';
import { applyChange } from './apply.ts';
import { type FlagChange, type Target, undoOf } from './change.ts';
import { inOrder } from './in-order.ts';

/**
 * What came of sending a change:
 *
 *   done      The server has it. `undo` takes it back, if it can be.
 *   conflict  Somebody else changed the same before. Nothing was sent, or the server refused it.
 *   unknown   No answer came. It was not sent again; `isDone` is what the server has now, null if that is not known.
 *   refused   The server refused it, or was not reached before it was sent.
 */
export type Attempt =
  | { state: 'done'; undo: FlagChange[] }
  | { state: 'conflict'; reason: 'gone' | 'changed'; now: Flag }
  | { state: 'unknown'; isDone: boolean | null; error: Problem }
  | { state: 'refused'; error: Error };

/** Sends a change, unless the flag is no longer what the person saw. */
export async function attempt(queries: QueryClient, target: Target, change: FlagChange): Promise<Attempt> {
  // Not by the query, which would wait for the network.
  const read = async () => {
    const { project, feature } = target;
    const params = { path: { projectId: project, featureName: feature } };
    const flag = await answer(api.GET('/api/admin/projects/{projectId}/features/{featureName}', { params }));
    queries.setQueryData(featureQuery(project, feature).queryKey, flag);
    return flag;
  };
  const findConflict = async (): Promise<Attempt | null> => {
    if (!canConflict(change)) return null;
    const now = await read();
    const reason = conflictOf(change, now);
    return reason === null ? null : { state: 'conflict', reason, now };
  };
  try {
    const conflict = await findConflict();
    if (conflict !== null) return conflict;
  } catch (error) {
    return { state: 'refused', error: notSent(error as Error) };
  }
  try {
    const added = await inOrder(target.project, target.feature, () => applyChange(target, change));
    return { state: 'done', undo: undoOf(change, added) };
  } catch (error) {
    if (!(error instanceof Problem)) return { state: 'refused', error: error as Error };
    if (error.kind === 'outcome-unknown' || error.kind === 'unreachable') {
      const now = await read().catch(() => null);
      return { state: 'unknown', isDone: now && isDone(change, now), error };
    }
    // The server tests what the person saw when it applies the change.
    const conflict = await findConflict().catch(() => null);
    return conflict ?? { state: 'refused', error };
  }
}
