import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refetchMs } from '../live/refetch.ts';

/** Gateways report uses of tokens every ten seconds. */
const waitingMs = 2_000;

/** When the newest token of the name was first seen; null while no SDK has used it. Read often until then. */
export const tokenSeenQuery = (projectId: string, tokenName: string) =>
  queryOptions({
    queryKey: ['tokens', projectId, tokenName],
    async queryFn() {
      const path = { projectId };
      const { tokens } = await answer(api.GET('/api/admin/projects/{projectId}/api-tokens', { params: { path } }));
      const named = tokens.filter((token) => token.tokenName === tokenName);
      return named.sort((one, other) => other.createdAt.localeCompare(one.createdAt))[0]?.seenAt ?? null;
    },
    refetchInterval: ({ state }) => (state.data || state.error ? refetchMs : waitingMs),
  });
