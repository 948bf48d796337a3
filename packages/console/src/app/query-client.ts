import { QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import { meQuery } from '../api/queries.ts';
import { refetchAfter, refetchMs } from '../live/refetch.ts';
import { noteUser } from './session.ts';

/** A read is repeated after these. A write is never repeated by itself. */
const transient = new Set(['unreachable', 'unavailable', 'outcome-unknown']);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onSuccess(data, { queryKey }) {
        if (queryKey[0] === meQuery.queryKey[0]) noteUser((data as { user: { id: number } }).user.id);
      },
    }),
    defaultOptions: {
      queries: {
        // The event stream says what has changed.
        staleTime: refetchMs,
        refetchInterval: ({ state }) => refetchAfter(state.data),
        retry: (failures, error) => failures < 2 && error instanceof Problem && transient.has(error.kind),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
