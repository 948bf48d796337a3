import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { parseExactly } from '../signals/json.ts';
import { answer, api, type Schemas } from './client.ts';

/** What the screens of signals read. Apart from the others, so that the first screen does not load it. */

/** No event of the log tells of a signal or a run, so a screen that is seen asks for them. */
export const tailMs = 5_000;

/** Payloads may have 100 kB each. */
const pageSize = 25;

/** Offset of the next page of a list that does not tell its total. */
const nextOffset = (items: readonly unknown[], offset: number) => (items.length < pageSize ? null : offset + pageSize);

export const signalEndpointsQuery = queryOptions({
  queryKey: ['signals', 'endpoints'],
  queryFn: async () => (await answer(api.GET('/api/admin/signal-endpoints'))).signalEndpoints,
});

export interface SignalFilters {
  sourceId?: string | undefined;
  hasRuns?: 'true' | 'false' | undefined;
  payload?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export type ActionRun = Schemas['actionSetEventSchema'];
export type StoredSignal = Schemas['signalQuerySignalSchema'];

/** Newest first, with payloads as they were sent. One page is the tail; with more, its reader looks at older ones. */
export const signalsQuery = (filters: SignalFilters) =>
  infiniteQueryOptions({
    queryKey: ['signals', 'stored', filters],
    queryFn: async ({ pageParam }) => {
      const query = { ...filters, offset: String(pageParam), limit: String(pageSize) };
      const text = await answer(api.GET('/api/admin/signals', { params: { query }, parseAs: 'text' }));
      return parseExactly(text) as Schemas['signalQueryResponseSchema'];
    },
    structuralSharing: false,
    initialPageParam: 0,
    getNextPageParam: ({ total }, _pages, offset) => (offset + pageSize < total ? offset + pageSize : null),
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 1) * tailMs,
  });

export const actionSetsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['signals', 'actions', projectId],
    queryFn: async () =>
      (await answer(api.GET('/api/admin/projects/{projectId}/actions', { params: { path: { projectId } } }))).actions,
  });

export const actionDefinitionsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['signals', 'definitions', projectId],
    queryFn: () =>
      answer(api.GET('/api/admin/projects/{projectId}/actions/config', { params: { path: { projectId } } })),
  });

/** The runs of a set, newest first. */
export const actionRunsQuery = (projectId: string, actionSetId: number) =>
  infiniteQueryOptions({
    queryKey: ['signals', 'runs', projectId, actionSetId],
    queryFn: async ({ pageParam }) => {
      const path = { projectId, actionSetId: `${actionSetId}` };
      const query = { offset: String(pageParam), limit: String(pageSize) };
      const url = '/api/admin/projects/{projectId}/actions/{actionSetId}/events';
      const text = await answer(api.GET(url, { params: { path, query }, parseAs: 'text' }));
      return (parseExactly(text) as { actionSetEvents: ActionRun[] }).actionSetEvents;
    },
    structuralSharing: false,
    initialPageParam: 0,
    getNextPageParam: (runs, _pages, offset) => nextOffset(runs, offset),
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 1) * tailMs,
  });

export const serviceAccountsQuery = queryOptions({
  queryKey: ['people', 'service-accounts'],
  queryFn: async () => (await answer(api.GET('/api/admin/service-account'))).serviceAccounts,
});
