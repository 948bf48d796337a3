import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { sayDone, sayProblem } from '../ui/toasts.tsx';
import { applyChange, describeChange, type FlagChange, needsReview, type Target, undoOf } from './change.ts';
import { inOrder, isSending } from './in-order.ts';
import { readAgain, showAsDone, takeBack } from './optimistic.ts';
import { outcomeOf } from './outcome.ts';
import { Review } from './review.tsx';

type Save = (target: Target, change: FlagChange) => void;

const SaveContext = createContext<Save | null>(null);

/** Saves a change of a flag. It is the only way of the screens. */
export function useSave(): Save {
  const save = useContext(SaveContext);
  if (save === null) throw new Error('useSave outside of SaveProvider');
  return save;
}

/**
 * The one place that saves changes of flags. A switch outside of production is sent at once and can be undone. Every
 * other change is reviewed first: what it does, and for whom.
 */
export function SaveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [reviewed, setReviewed] = useState<{ target: Target; change: FlagChange } | null>(null);
  const save = useMemo<Save>(
    () => (target, change) => {
      if (needsReview(change)) setReviewed({ target, change });
      else void saveNow(queries, target, change);
    },
    [queries],
  );
  return (
    <SaveContext value={save}>
      {children}
      {reviewed !== null && (
        <Review
          {...reviewed}
          onClose={() => setReviewed(null)}
          onApply={() => {
            setReviewed(null);
            void saveNow(queries, reviewed.target, reviewed.change);
          }}
        />
      )}
    </SaveContext>
  );
}

/** Shows the change, sends it, and shows what the server has then. */
async function saveNow(queries: QueryClient, target: Target, change: FlagChange): Promise<void> {
  const { project, feature } = target;
  const what = describeChange(target, change);
  await showAsDone(queries, target, change);
  try {
    await inOrder(project, feature, () => applyChange(target, change));
    const undo = undoOf(change);
    sayDone(`Done: this ${what}.`, undo === null ? undefined : () => void saveNow(queries, target, undo));
  } catch (error) {
    takeBack(queries, target, change);
    const { title, description, canSendAgain } = outcomeOf(error as Error, what);
    sayProblem(title, error as Error, {
      description,
      ...(canSendAgain && { sendAgain: () => void saveNow(queries, target, change) }),
    });
  }
  // The last one reads, so that no read shows a switch as it was before the next one.
  if (!isSending(project, feature)) await readAgain(queries, target);
}
