import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { errorBeside } from '../../api/property-errors.ts';
import { signalEndpointsQuery, signalsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import styles from '../../ui/log-list.module.css';
import { narrowed } from '../../ui/narrowed.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Shown } from '../../ui/shown.tsx';
import { SignalsNav } from '../signals-nav.tsx';
import { InboxFilters } from './inbox-filters.tsx';
import { NoSignal } from './no-signal.tsx';
import { SignalRow } from './signal-row.tsx';
import { type SignalSearch, toSignalFilters } from './signal-search.ts';

const route = getRouteApi('/signals');

/** The stored signals, newest first. New ones appear as they are stored. */
export function InboxPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const missing = useMissing();
  const [isPaused, setPaused] = useState(false);
  const query = useInfiniteQuery({ ...signalsQuery(toSignalFilters(search)), enabled: !isPaused });
  const { data: endpoints = [] } = useQuery({ ...signalEndpointsQuery, enabled: missing('ADMIN') === null });
  const narrow = (changed: SignalSearch) => {
    setPaused(false);
    void navigate(narrowed(search, changed));
  };
  const isAtField = query.error !== null && errorBeside(query.error, ['payload', 'from', 'to']) === null;
  return (
    <>
      <PageHead title="Signals">
        <Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Paused: go on' : 'Pause'}</Button>
      </PageHead>
      <SignalsNav />
      <InboxFilters {...{ search, endpoints }} error={query.error} onChange={narrow} />
      {!isAtField && (
        <Shown query={query}>
          {({ pages }) => {
            const total = pages[0]?.total ?? 0;
            if (total === 0) return <NoSignal isNarrowed={Object.keys(search).length > 0} endpoints={endpoints} />;
            return (
              <>
                <p className={styles.total}>
                  {total === 1 ? 'One signal' : `${total.toLocaleString()} signals`}
                  {isPaused ? '. New ones are not shown while this is paused.' : ', newest first'}
                </p>
                <ol className={styles.list}>
                  {pages
                    .flatMap(({ signals }) => signals)
                    .map((signal) => (
                      <SignalRow key={signal.id} signal={signal} />
                    ))}
                </ol>
                {query.hasNextPage && (
                  <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Show older signals
                  </Button>
                )}
              </>
            );
          }}
        </Shown>
      )}
    </>
  );
}
