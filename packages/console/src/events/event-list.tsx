import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { LogEvent } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import styles from '../ui/log-list.module.css';
import { Empty, Shown } from '../ui/shown.tsx';
import { EventRow } from './event-row.tsx';

interface Props {
  query: UseInfiniteQueryResult<{ pages: { events: LogEvent[]; total: number }[] }>;
  /** What can be done with an event, beside showing it. */
  end?: (event: LogEvent) => ReactNode;
}

/** Events of the log, newest first, page by page. */
export function EventList({ query, end }: Props) {
  return (
    <Shown query={query}>
      {({ pages }) => {
        const total = pages[0]?.total ?? 0;
        if (total === 0) return <Empty title="No event matches" />;
        return (
          <>
            <p className={styles.total}>{total === 1 ? 'One event' : `${total.toLocaleString()} events`}</p>
            <ol className={styles.list}>
              {pages
                .flatMap(({ events }) => events)
                .map((event) => (
                  <EventRow key={event.id} event={event} end={end?.(event)} />
                ))}
            </ol>
            {query.hasNextPage && (
              <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show older events
              </Button>
            )}
          </>
        );
      }}
    </Shown>
  );
}
