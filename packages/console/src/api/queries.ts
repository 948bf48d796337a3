import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, type Schemas } from './client.ts';

/**
 * What screens read. The first elements of a key say what it is about, so that a live event finds the queries to read
 * again by a prefix: `['features', ...]`, `['feature', project, name]`, `['project', id]`.
 */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answer(api.GET('/api/admin/user')),
});

export const uiConfigQuery = queryOptions({
  queryKey: ['ui-config'],
  queryFn: () => answer(api.GET('/api/admin/ui-config')),
});

export const bannersQuery = queryOptions({
  queryKey: ['banners'],
  queryFn: async () => (await answer(api.GET('/api/admin/banners'))).banners,
});

/** The views of flags that the user has saved. */
export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: async () => (await answer(api.GET('/api/admin/user/views'))).views,
});

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: () => answer(api.GET('/api/admin/projects')),
});

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId],
    queryFn: () => answer(api.GET('/api/admin/projects/{projectId}/overview', { params: { path: { projectId } } })),
  });

export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: () => answer(api.GET('/api/admin/environments')),
});

export const strategyTypesQuery = queryOptions({
  queryKey: ['strategy-types'],
  queryFn: () => answer(api.GET('/api/admin/strategies')),
});

export const featureTypesQuery = queryOptions({
  queryKey: ['feature-types'],
  queryFn: () => answer(api.GET('/api/admin/feature-types')),
});

export const segmentsQuery = queryOptions({
  queryKey: ['segments'],
  queryFn: () => answer(api.GET('/api/admin/segments')),
});

/** The context fields that a project may use: those of all projects, and its own. With null only those of all. */
export const contextFieldsQuery = (projectId: string | null) =>
  queryOptions({
    queryKey: ['context-fields', projectId],
    queryFn: () =>
      projectId === null
        ? answer(api.GET('/api/admin/context'))
        : answer(
            api.GET('/api/admin/projects/{projectId}/context', {
              params: { path: { projectId }, query: { include: 'root' } },
            }),
          ),
  });

export const featureQuery = (projectId: string, featureName: string) =>
  queryOptions({
    queryKey: ['feature', projectId, featureName],
    queryFn: () =>
      answer(
        api.GET('/api/admin/projects/{projectId}/features/{featureName}', {
          params: { path: { projectId, featureName } },
        }),
      ),
  });

/**
 * An archived flag, which only searches find; null if there is none of the name. Others that have its name within their
 * own come before it, so as many are read as the API gives.
 */
export const archivedFeatureQuery = (projectId: string, featureName: string) =>
  queryOptions({
    queryKey: ['feature', projectId, featureName, 'archived'],
    async queryFn() {
      const query = { archived: 'IS:true', project: `IS:${projectId}`, query: featureName, limit: '1000' };
      const { features } = await answer(api.GET('/api/admin/search/features', { params: { query } }));
      return features.find(({ name }) => name === featureName) ?? null;
    },
  });

/** What a list of flags is narrowed to, as the API's search takes it. */
export interface FeatureFilters {
  query?: string | undefined;
  project?: string | undefined;
  type?: string | undefined;
  state?: string | undefined;
  tag?: string | undefined;
  status?: string | undefined;
  lifecycle?: string | undefined;
  createdBy?: string | undefined;
  favorite?: string | undefined;
  archived?: string | undefined;
  sortBy?: string | undefined;
  sortOrder?: 'asc' | 'desc' | undefined;
}

/** Two screens of rows. */
const pageSize = 100;

export const featuresQuery = (filters: FeatureFilters) =>
  infiniteQueryOptions({
    queryKey: ['features', filters],
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/admin/search/features', {
          params: { query: { ...filters, targeting: 'true', offset: String(pageParam), limit: String(pageSize) } },
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ total }, _pages, offset) => (offset + pageSize < total ? offset + pageSize : null),
  });

/** Who made the flags that the user may see. */
export const flagCreatorsQuery = queryOptions({
  queryKey: ['people', 'flag-creators'],
  queryFn: async () => (await answer(api.GET('/api/admin/flag-creators'))).flagCreators,
});

export const tagsQuery = queryOptions({
  queryKey: ['tags', 'all'],
  queryFn: async () => (await answer(api.GET('/api/admin/tags'))).tags,
});

export const tagTypesQuery = queryOptions({
  queryKey: ['tags', 'types'],
  queryFn: () => answer(api.GET('/api/admin/tag-types')),
});

/** An event as the log shows it. */
export type LogEvent = Omit<Schemas['eventSchema'], 'groupType' | 'groupId'>;

const eventPageSize = 50;

/** Newest first. A page of them moves when events are recorded, so all pages that were read are read again together. */
export const eventsQuery = (filters: Record<string, string>) =>
  infiniteQueryOptions({
    queryKey: ['events', filters],
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/admin/search/events', {
          params: { query: { ...filters, offset: String(pageParam), limit: String(eventPageSize) } },
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ total }, _pages, offset) => (offset + eventPageSize < total ? offset + eventPageSize : null),
  });

export const eventCreatorsQuery = queryOptions({
  queryKey: ['events', 'creators'],
  queryFn: () => answer(api.GET('/api/admin/event-creators')),
});

/** A verification reads the whole log, so it is made once for a visit of the page, also while the page polls. */
export const chainQuery = queryOptions({
  queryKey: ['chain'],
  queryFn: () => answer(api.GET('/api/admin/events/verify')),
  staleTime: 'static',
  gcTime: 0,
  refetchInterval: false,
});

/** What flags are with a context. */
export const playgroundQuery = (question: Schemas['advancedPlaygroundRequestSchema'] | null) =>
  queryOptions({
    queryKey: ['playground', question],
    queryFn: () => (question === null ? null : answer(api.POST('/api/admin/playground/advanced', { body: question }))),
    enabled: question !== null,
    // An answer has every flag with its reasons. The cache drops it when the question changes.
    gcTime: 0,
  });

/** Integrations and the definitions of providers. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: () => answer(api.GET('/api/admin/addons')),
});

/** Deliveries are no events of the log, so what is known of them is read when it is opened, and again this often. */
const ofDeliveries = { staleTime: 0, refetchInterval: 5_000 };

export const integrationStatesQuery = queryOptions({
  queryKey: ['integrations', 'states'],
  queryFn: () => answer(api.GET('/api/admin/addon-states')),
  ...ofDeliveries,
});

const outcomePageSize = 25;

/** Newest first. */
export const outcomesQuery = (integrationId: number) =>
  infiniteQueryOptions({
    queryKey: ['integrations', integrationId, 'outcomes'],
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/admin/addons/{id}/events', {
          params: {
            path: { id: String(integrationId) },
            query: { offset: String(pageParam), limit: String(outcomePageSize) },
          },
        }),
      ),
    initialPageParam: 0,
    // No total is known: a full page may have more behind it.
    getNextPageParam: ({ integrationEvents }, _pages, offset) =>
      integrationEvents.length === outcomePageSize ? offset + outcomePageSize : null,
    ...ofDeliveries,
  });

export const attemptsQuery = (integrationId: number, eventId: string) =>
  queryOptions({
    queryKey: ['integrations', integrationId, 'attempts', eventId],
    queryFn: () =>
      answer(
        api.GET('/api/admin/addons/{id}/events/{eventId}/attempts', {
          params: { path: { id: String(integrationId), eventId } },
        }),
      ),
    ...ofDeliveries,
  });

/** Events by id, both ends included. */
export interface EventRange {
  from: number;
  to: number;
  onlyFailed: boolean;
}

export const redeliverableQuery = (integrationId: number, { from, to, onlyFailed }: EventRange) =>
  queryOptions({
    queryKey: ['integrations', integrationId, 'redeliverable', from, to, onlyFailed],
    queryFn: () =>
      answer(
        api.GET('/api/admin/addons/{id}/redeliverable', {
          params: {
            path: { id: String(integrationId) },
            query: { from: String(from), to: String(to), onlyFailed: onlyFailed ? 'true' : 'false' },
          },
        }),
      ),
    ...ofDeliveries,
  });
