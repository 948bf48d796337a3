import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { outcomesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import lists from '../ui/log-list.module.css';
import { Empty, Shown } from '../ui/shown.tsx';
import type { Integration } from './draft.ts';
import { OutcomeRow } from './outcome-row.tsx';
import { rangeOf } from './outcome-words.ts';
import styles from './outcomes.module.css';
import { RedeliverRange } from './redeliver-range.tsx';

const route = getRouteApi('/integrations/$id');

/** What an integration has sent, newest first. New outcomes appear within seconds. */
export function Outcomes({ integration }: { integration: Integration }) {
  const missing = useMissing()('ADMIN');
  if (missing !== null) {
    return (
      <Empty title="Deliveries are hidden">
        <p>They may contain every event. {missing}</p>
      </Empty>
    );
  }
  return <OutcomeList integration={integration} />;
}

function OutcomeList({ integration }: { integration: Integration }) {
  const { outcome: openId } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(outcomesQuery(integration.id));
  const open = (id: string | undefined) =>
    void navigate({ search: id === undefined ? {} : { outcome: id }, replace: true, resetScroll: false });
  return (
    <Shown query={query}>
      {({ pages }) => {
        const outcomes = pages.flatMap((page) => page.integrationEvents);
        if (outcomes.length === 0) {
          return (
            <Empty title="Nothing was sent yet">
              <p>It is sent the events that are recorded from now on and that its settings name.</p>
            </Empty>
          );
        }
        const isListed = openId === undefined || outcomes.some(({ id }) => id === openId);
        return (
          <>
            <div className={styles.bar}>
              <p className={styles.quiet}>Newest first</p>
              <RedeliverRange integration={integration} shown={rangeOf(outcomes)} />
            </div>
            {!isListed && (
              <p className={styles.notice} role="status">
                The delivery of this address is not among the newest ones.
              </p>
            )}
            <ol className={lists.list}>
              {outcomes.map((outcome) => (
                <OutcomeRow
                  key={outcome.id}
                  {...{ integration, outcome }}
                  isOpen={outcome.id === openId}
                  onToggle={(isOpen) => open(isOpen ? outcome.id : undefined)}
                />
              ))}
            </ol>
            {query.hasNextPage && (
              <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show older deliveries
              </Button>
            )}
          </>
        );
      }}
    </Shown>
  );
}
