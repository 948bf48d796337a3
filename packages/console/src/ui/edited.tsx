import { useIsMutating } from '@tanstack/react-query';
import { createContext, Fragment, type ReactNode, useState } from 'react';
import { isSame } from '../save/same.ts';
import { ChangedNotice } from './changed-notice.tsx';

interface Item<T> {
  /** As in `this segment`. */
  what: string;
  /** What the server has. */
  now: T;
  /** What a person edits of it. */
  settingsOf: (item: T) => unknown;
}

interface Props<T> extends Item<T> {
  /** What was read last, after a save that stays on the page. */
  read?: () => T | undefined;
  children: (before: T, onSaved: () => void) => ReactNode;
}

/**
 * A form of what the person saw first. A later read does not replace what was typed; it is said that somebody else
 * changed it.
 */
export function Edited<T>({ read, children, ...item }: Props<T>) {
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
export function EditedInDialog<T>({ children, ...item }: Item<T> & { children: (before: T) => ReactNode }) {
  const { before, times, notice } = useEdited(item);
  return (
    <EditedNotice value={notice}>
      <Fragment key={times}>{children(before)}</Fragment>
    </EditedNotice>
  );
}

function useEdited<T>({ what, now, settingsOf }: Item<T>) {
  const [before, setBefore] = useState(now);
  const [times, setTimes] = useState(0);
  // The event stream may tell of a save before its answer does.
  const isSaving = useIsMutating() > 0;
  const take = () => {
    setBefore(now);
    setTimes(times + 1);
  };
  const isChanged = !isSaving && !isSame(settingsOf(before), settingsOf(now));
  return { before, setBefore, times, notice: isChanged ? <ChangedNotice what={what} onTake={take} /> : null };
}
