import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useMissing } from '../app/session.ts';
import { type FlagOfList, FlagRow, keyOf } from './flag-row.tsx';
import styles from './flag-rows.module.css';

/** The height of a row with one line of text. Rows are measured once they are shown. */
const usualRowPx = 80;

/** How many rows before the end of what was read the next page is read. */
const readAhead = 20;

interface Props {
  flags: FlagOfList[];
  /** Also of those that were not read yet. */
  total: number;
  hasProjects: boolean;
  selected: ReadonlySet<string>;
  onSelect: (flag: FlagOfList, isSelected: boolean) => void;
  readOn: () => void;
}

/** The rows of a list. Only those on the screen are in the page. */
export function FlagRows({ flags, total, hasProjects, selected, onSelect, readOn }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    // The distance to the top of the page, whatever elements are around the list.
    if (list.current) setTop(list.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  // Another function makes the virtualizer ask for the keys of all flags, at each step of scrolling.
  const keyAt = useCallback((index: number) => keyOf(flags[index]!), [flags]);
  const missing = useMissing();
  const rows = useWindowVirtualizer({
    count: flags.length,
    estimateSize: () => usualRowPx,
    overscan: 8,
    scrollMargin: top,
    getItemKey: keyAt,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= flags.length - readAhead) readOn();
  }, [last, flags.length, readOn]);

  return (
    <ul ref={list} className={styles.list} style={{ blockSize: rows.getTotalSize() }}>
      {shown.map(({ key, index, start }) => {
        const flag = flags[index]!;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-setsize={total}
            aria-posinset={index + 1}
            className={styles.item}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <FlagRow
              flag={flag}
              hasProject={hasProjects}
              missing={missing}
              isSelected={selected.has(keyOf(flag))}
              onSelect={onSelect}
            />
          </li>
        );
      })}
    </ul>
  );
}
