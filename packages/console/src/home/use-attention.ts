import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import { featuresQuery, integrationStatesQuery, integrationsQuery } from '../api/queries.ts';
import { signalsQuery } from '../api/signal-queries.ts';
import { useMissing } from '../app/session.ts';
import { type Concern, concernsOf } from './attention.ts';

const oldSdksQuery = queryOptions({
  queryKey: ['applications', 'old-sdks'],
  queryFn: async () => (await answer(api.GET('/api/admin/metrics/sdks/outdated'))).sdks,
});

const dayMs = 86_400_000;

/** What needs attention; `isComplete` once all of it is known. */
export function useAttention(): { concerns: Concern[]; isComplete: boolean; errors: Error[] } {
  const missing = useMissing();
  const [since] = useState(() => new Date(Date.now() - dayMs).toISOString().slice(0, 10));
  const integrations = useQuery(integrationsQuery);
  const states = useQuery(integrationStatesQuery);
  const stale = useInfiniteQuery(featuresQuery({ state: 'IS:stale' }));
  const potentiallyStale = useInfiniteQuery(featuresQuery({ state: 'IS:potentially-stale' }));
  const oldSdks = useQuery(oldSdksQuery);
  const mayReadSignals = missing('ADMIN') === null;
  const signals = useInfiniteQuery({
    ...signalsQuery({ hasRuns: 'false', from: `IS:${since}` }),
    enabled: mayReadSignals,
  });
  const reads = [integrations, states, stale, potentiallyStale, oldSdks, ...(mayReadSignals ? [signals] : [])];
  return {
    concerns: concernsOf({
      integrations: integrations.data?.addons ?? [],
      states: states.data?.states ?? [],
      stale: stale.data?.pages[0]?.total ?? 0,
      potentiallyStale: potentiallyStale.data?.pages[0]?.total ?? 0,
      unmatched: {
        count: signals.data?.pages[0]?.signals.length ?? 0,
        hasMore: signals.hasNextPage,
        since,
      },
      oldSdks: oldSdks.data ?? [],
    }),
    isComplete: reads.every(({ data }) => data !== undefined),
    errors: reads.flatMap(({ error }) => (error === null ? [] : [error])),
  };
}
