import { useQueryClient } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from 'react';
import { type FlagChange, needsReview, type Target } from './change.ts';
import { type Outcome, saveNow } from './save-now.ts';

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
          <Review {...reviewed} />
        </Suspense>
      )}
    </SaveContext>
  );
}
