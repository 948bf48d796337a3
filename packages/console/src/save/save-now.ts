import type { QueryClient } from '@tanstack/react-query';
import { segmentsQuery } from '../api/queries.ts';
import { segmentNamesIn } from '../flag/strategy-words.ts';
import { liveStream } from '../live/live-stream.ts';
import { sayDone, sayProblem } from '../ui/toasts.tsx';
import { applyChange } from './apply.ts';
import { type FlagChange, type Target, undoOf } from './change.ts';
import { inOrder, isSending } from './in-order.ts';
import { readAgain, showAsDone, takeBack } from './optimistic.ts';
import { outcomeOf } from './outcome.ts';
import { describeAttempt, describeDone } from './words.ts';

/** Whether the change was made; if it was refused, why. A discarded one is not wanted any more. */
export type Outcome = 'done' | 'discarded' | 'not-done' | Error;

/** Shows the change, sends it, and shows what the server has then. */
export async function saveNow(queries: QueryClient, target: Target, change: FlagChange): Promise<Outcome> {
  const { project, feature } = target;
  let outcome: Outcome = 'done';
  const shown = showAsDone(queries, target, change);
  try {
    const added = await inOrder(project, feature, async () => {
      await shown;
      return await applyChange(target, change);
    });
    sayChanged(queries, target, change, undoOf(change, added));
  } catch (error) {
    outcome = error as Error;
    takeBack(queries, target, change);
    const { title, description, canSendAgain } = outcomeOf(
      outcome,
      describeAttempt(target, change, knownNames(queries)),
    );
    sayProblem(title, outcome, {
      description,
      ...(canSendAgain && { sendAgain: () => void saveNow(queries, target, change) }),
    });
  }
  // A switch is shown already, and its event makes the lists read again.
  if (outcome === 'done' && change.kind === 'switch' && liveStream.isOpen()) return outcome;
  // The last one reads, so that no read shows a switch as it was before the next one.
  if (!isSending(project, feature)) await readAgain(queries, target);
  return outcome;
}

/** Says what was done, with a way back. */
export function sayChanged(queries: QueryClient, target: Target, change: FlagChange, undo: FlagChange[]): void {
  sayDone(
    describeDone(target, change, knownNames(queries)),
    undo.length === 0 ? undefined : () => void saveEach(queries, target, undo),
  );
}

/** Saves the changes one after the other, until one is refused. */
async function saveEach(queries: QueryClient, target: Target, changes: FlagChange[]): Promise<void> {
  for (const change of changes) if ((await saveNow(queries, target, change)) !== 'done') return;
}

/** Segments are read by the screens that show strategies. */
const knownNames = (queries: QueryClient) => segmentNamesIn(queries.getQueryData(segmentsQuery.queryKey));
