import { useInfiniteQuery } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type FeatureFilters, featuresQuery } from '../api/queries.ts';
import { Empty, Shown } from '../ui/shown.tsx';
import styles from './flag-list.module.css';
import { type FlagOfList, FlagRow } from './flag-row.tsx';

/** The height of a row with one line of text. Rows are measured once they are shown. */
const usualRowPx = 76;

interface Props {
  filters: FeatureFilters;
  /** Whether rows name the project. */
  hasProjects: boolean;
}

/** The flags that the filters leave. Only the rows on the screen are in the page. */
export function FlagList({ filters, hasProjects }: Props) {
  const query = useInfiniteQuery(featuresQuery(filters));
  return (
    <Shown query={query}>
      {({ pages }) => {
        const flags = pages.flatMap(({ features }) => features);
        const total = pages[0]?.total ?? 0;
        if (total === 0) return <Empty title="No flag matches" />;
        return (
          <>
            <p className={styles.total} role="status">
              {total === 1 ? 'One flag' : `${total.toLocaleString()} flags`}
            </p>
            <Rows
              flags={flags}
              total={total}
              hasProjects={hasProjects}
              readOn={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
            />
          </>
        );
      }}
    </Shown>
  );
}

interface RowsProps {
  flags: FlagOfList[];
  total: number;
  hasProjects: boolean;
  readOn: () => void;
}

function Rows({ flags, total, hasProjects, readOn }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: flags.length,
    estimateSize: () => usualRowPx,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => `${flags[index]!.project}/${flags[index]!.name}`,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= flags.length - 20) readOn();
  }, [last, flags.length, readOn]);

  return (
    <ul ref={list} className={styles.list} style={{ blockSize: rows.getTotalSize() }}>
      {shown.map((row) => (
        <li
          key={row.key}
          ref={rows.measureElement}
          data-index={row.index}
          aria-setsize={total}
          aria-posinset={row.index + 1}
          className={styles.item}
          style={{ transform: `translateY(${row.start - top}px)` }}
        >
          <FlagRow flag={flags[row.index]!} hasProject={hasProjects} />
        </li>
      ))}
    </ul>
  );
}
