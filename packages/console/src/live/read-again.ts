import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { whenSent } from '../save/in-order.ts';

const isReading = ({ state }: Query) => state.fetchStatus === 'fetching';

/** The queries that are read once more when their present read ends. */
const onceMore = new WeakSet<Query>();

/**
 * Reads again what begins with the key, or everything. A switch is shown before it is sent: while it is on its way,
 * nothing is read, or it would be shown as it was before. A read that is on its way may have seen the state before the
 * change: it ends first, so that events that come faster than answers do not keep the page from showing any. A hidden
 * tab notes that its queries are stale, and reads when it is seen.
 */
export function readAgain(queries: QueryClient, queryKey?: QueryKey): void {
  void whenSent().then(() => readNow(queries, queryKey));
}

function readNow(queries: QueryClient, queryKey: QueryKey | undefined): void {
  const filters = queryKey === undefined ? {} : { queryKey };
  const refetchType = document.hidden ? 'none' : 'active';
  const running = queries.getQueryCache().findAll({ ...filters, predicate: isReading });
  void queries.invalidateQueries({ ...filters, refetchType, predicate: (query) => !isReading(query) });
  for (const query of running) {
    if (onceMore.has(query)) continue;
    onceMore.add(query);
    const again = () => {
      onceMore.delete(query);
      readAgain(queries, query.queryKey);
    };
    query.promise?.then(again, again);
  }
}
