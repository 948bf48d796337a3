import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { sayMissingPart } from '../ui/toasts.tsx';
import { type FlagChange, needsReview, type Target } from './change.ts';
import { type Outcome, saveNow } from './save-now.ts';

type Save = (target: Target, change: FlagChange) => Promise<Outcome>;

const SaveContext = createContext<Save | null>(null);

/** It is not part of the first screen. */
const loadReview = async () => (await import('./review.tsx')).Review;

/** Saves a change of a flag. It is the only way of the screens. */
export function useSave(): Save {
  const save = useContext(SaveContext);
  if (save === null) throw new Error('useSave outside of SaveProvider');
  return save;
}

type ReviewComponent = Awaited<ReturnType<typeof loadReview>>;

interface Reviewed extends ComponentProps<ReviewComponent> {
  Review: ReviewComponent;
}

/**
 * The one place that saves changes of flags. A switch outside of production is sent at once and can be undone. Every
 * other change is reviewed first: what it does, and for whom.
 */
export function SaveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  // A form that is being filled in can be saved also when a newer build has replaced the files.
  useEffect(() => {
    const load = () => void loadReview().catch(() => undefined);
    addEventListener('change', load, { once: true });
    return () => removeEventListener('change', load);
  }, []);
  const save = useMemo<Save>(
    () => async (target, change) => {
      if (!needsReview(change)) return saveNow(queries, target, change);
      const Review = await loadReview().catch(sayMissingPart);
      if (Review === undefined) return 'not-done';
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const end = (outcome: Outcome) => {
        setReviewed((now) => (now?.end === end ? null : now));
        resolve(outcome);
      };
      setReviewed({ Review, target, change, end });
      return promise;
    },
    [queries],
  );
  return (
    <SaveContext value={save}>
      {children}
      {reviewed !== null && <reviewed.Review {...reviewed} />}
    </SaveContext>
  );
}
