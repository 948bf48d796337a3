import { useIsMutating } from '@tanstack/react-query';
import { createContext, Fragment, type ReactNode, useState } from 'react';
import { isSame } from '../save/same.ts';
import { settingsChanged } from '../save/settings-words.ts';
import { ChangedNotice } from './changed-notice.tsx';

interface Item<T, S> {
  /** As in `this segment`. */
  what: string;
  /** What the server has. */
  now: T;
  /** What a person edits of it. */
  settingsOf: (item: T) => S;
  /** What somebody else changed, as sentences. */
  inWords?: (before: S, now: S) => string[];
}

interface Props<T, S> extends Item<T, S> {
  /** What was read last, after a save that stays on the page. */
  read?: () => T | undefined;
  children: (before: T, onSaved: () => void) => ReactNode;
}

/**
 * A form of what the person saw first. A later read does not replace what was typed; it is said that somebody else
 * changed it.
 */
export function Edited<T, S>({ read, children, ...item }: Props<T, S>) {
  const { before, setBefore, times, notice } = useEdited(item);
  return (
    <>
      {notice}
      <Fragment key={times}>{children(before, () => setBefore(read?.() ?? before))}</Fragment>
    </>
  );
}

/** What a form in a dialog says of changes by others (FormDialog). */
export const EditedNotice = createContext<ReactNode>(null);

/** As `Edited`, for a form in a dialog, which covers the page and closes after its save. */
export function EditedInDialog<T, S>({ children, ...item }: Item<T, S> & { children: (before: T) => ReactNode }) {
  const { before, times, notice } = useEdited(item);
  return (
    <EditedNotice value={notice}>
      <Fragment key={times}>{children(before)}</Fragment>
    </EditedNotice>
  );
}

function useEdited<T, S>({ what, now, settingsOf, inWords = settingsChanged }: Item<T, S>) {
  const [before, setBefore] = useState(now);
  const [times, setTimes] = useState(0);
  // The event stream may tell of a save before its answer does.
  const isSaving = useIsMutating() > 0;
  const take = () => {
    setBefore(now);
    setTimes(times + 1);
  };
  const [seen, latest] = [settingsOf(before), settingsOf(now)];
  const notice =
    isSaving || isSame(seen, latest) ? null : (
      <ChangedNotice what={what} changes={inWords(seen, latest)} onTake={take} />
    );
  return { before, setBefore, times, notice };
}
