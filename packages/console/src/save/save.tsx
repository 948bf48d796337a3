import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from 'react';
import { sayDone, sayProblem } from '../ui/toasts.tsx';
import { applyChange } from './apply.ts';
import { type FlagChange, needsReview, type Target, undoOf } from './change.ts';
import { inOrder, isSending } from './in-order.ts';
import { readAgain, showAsDone, takeBack } from './optimistic.ts';
import { outcomeOf } from './outcome.ts';
import { describeChange } from './words.ts';

/** Whether the change was made; if it was refused, why. A discarded one is not wanted any more. */
export type Outcome = 'done' | 'discarded' | 'not-done' | Error;

type Save = (target: Target, change: FlagChange) => Promise<Outcome>;

const SaveContext = createContext<Save | null>(null);

const Review = lazy(async () => ({ default: (await import('./review.tsx')).Review }));

/** Saves a change of a flag. It is the only way of the screens. */
export function useSave(): Save {
  const save = useContext(SaveContext);
  if (save === null) throw new Error('useSave outside of SaveProvider');
  return save;
}

interface Reviewed {
  target: Target;
  change: FlagChange;
  end: (outcome: Outcome) => void;
}

/**
 * The one place that saves changes of flags. A switch outside of production is sent at once and can be undone. Every
 * other change is reviewed first: what it does, and for whom.
 */
export function SaveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const save = useMemo<Save>(
    () => (target, change) => {
      if (!needsReview(change)) return saveNow(queries, target, change);
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const end = (outcome: Outcome) => {
        setReviewed(null);
        resolve(outcome);
      };
      setReviewed({ target, change, end });
      return promise;
    },
    [queries],
  );
  return (
    <SaveContext value={save}>
      {children}
      {reviewed !== null && (
        <Suspense>
          <Review {...reviewed} saveNow={(change) => saveNow(queries, reviewed.target, change)} />
        </Suspense>
      )}
    </SaveContext>
  );
}

/** Shows the change, sends it, and shows what the server has then. */
async function saveNow(queries: QueryClient, target: Target, change: FlagChange): Promise<Outcome> {
  const { project, feature } = target;
  let outcome: Outcome = 'done';
  await showAsDone(queries, target, change);
  try {
    const added = await inOrder(project, feature, () => applyChange(target, change));
    sayChanged(queries, target, change, undoOf(change, added));
  } catch (error) {
    outcome = error as Error;
    takeBack(queries, target, change);
    const { title, description, canSendAgain } = outcomeOf(outcome, describeChange(target, change));
    sayProblem(title, outcome, {
      description,
      ...(canSendAgain && { sendAgain: () => void saveNow(queries, target, change) }),
    });
  }
  // The last one reads, so that no read shows a switch as it was before the next one.
  if (!isSending(project, feature)) await readAgain(queries, target);
  return outcome;
}

/** Says what was done, with a way back. */
export function sayChanged(queries: QueryClient, target: Target, change: FlagChange, undo: FlagChange | null): void {
  sayDone(
    `Done: this ${describeChange(target, change)}.`,
    undo === null ? undefined : () => void saveNow(queries, target, undo),
  );
}
