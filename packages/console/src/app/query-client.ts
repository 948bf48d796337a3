import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import { refetchMs } from '../live/live.ts';
import { setNeedsLogin } from './session.ts';

/** A read is repeated after these. A write is never repeated by itself. */
const transient = new Set(['unreachable', 'unavailable', 'outcome-unknown']);

const noteSession = (error: Error) => {
  if (error instanceof Problem && error.kind === 'unauthenticated') setNeedsLogin(true);
};

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: noteSession }),
    mutationCache: new MutationCache({ onError: noteSession }),
    defaultOptions: {
      queries: {
        // The event stream says what has changed.
        staleTime: refetchMs,
        refetchInterval: refetchMs,
        retry: (failures, error) => failures < 2 && error instanceof Problem && transient.has(error.kind),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
