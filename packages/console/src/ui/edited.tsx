import { Fragment, type ReactNode, useState } from 'react';
import { isSame } from '../save/same.ts';
import { ChangedNotice } from './changed-notice.tsx';

interface Props<Item> {
  /** As in `this segment`. */
  what: string;
  /** What the server has. */
  now: Item;
  /** What was read last, after a save. */
  read: () => Item | undefined;
  /** What a person edits of it. */
  settingsOf: (item: Item) => unknown;
  children: (before: Item, onSaved: () => void) => ReactNode;
}

/**
 * A form of what the person saw first. A later read does not replace what was typed; it is said that somebody else
 * changed it.
 */
export function Edited<Item>({ what, now, read, settingsOf, children }: Props<Item>) {
  const [before, setBefore] = useState(now);
  const [times, setTimes] = useState(0);
  const take = () => {
    setBefore(now);
    setTimes(times + 1);
  };
  return (
    <>
      {!isSame(settingsOf(before), settingsOf(now)) && <ChangedNotice what={what} onTake={take} />}
      <Fragment key={times}>{children(before, () => setBefore(read() ?? before))}</Fragment>
    </>
  );
}
