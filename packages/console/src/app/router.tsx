import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { basePath } from '../api/client.ts';
import {
  contextFieldsQuery,
  environmentsQuery,
  featureQuery,
  featuresQuery,
  integrationsQuery,
  projectsQuery,
  segmentsQuery,
} from '../api/queries.ts';
import { parseEventSearch } from '../events/event-search.ts';
import { parseFlagSearch } from '../flags/flag-search.ts';
import { parseIntegrationSearch } from '../integrations/integration-search.ts';
import { parsePlaygroundSearch } from '../playground/playground-search.ts';
import { parseActionSetSearch } from '../signals/actions/action-set-search.ts';
import { parseSignalSearch } from '../signals/inbox/signal-search.ts';
import { parseStalenessSearch } from '../staleness/staleness-search.ts';
import { parseWelcomeSearch } from '../welcome/welcome-search.ts';
import { adminRoutes } from './admin-routes.ts';
import { PageFailed } from './crashed.tsx';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad({ context }) {
    // The pages read the same, so it costs no request.
    const flags = await context.queries.ensureInfiniteQueryData(featuresQuery({})).catch(() => null);
    if (flags?.pages[0]?.total === 0) throw redirect({ to: '/welcome' });
  },
  component: lazyPage(() => import('../home/home-page.tsx'), 'HomePage'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  validateSearch: parseWelcomeSearch,
  component: lazyPage(() => import('../welcome/welcome-page.tsx'), 'WelcomePage'),
});

const flags = createRoute({
  getParentRoute: () => root,
  path: '/features',
  validateSearch: parseFlagSearch,
  component: lazyPage(() => import('../flags/all-flags-page.tsx'), 'AllFlagsPage'),
});

const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  validateSearch: ({ archived }: Record<string, unknown>): { archived?: 'true' } =>
    `${archived}` === 'true' ? { archived: 'true' } : {},
  loader: ({ context }) => void context.queries.prefetchQuery(projectsQuery),
  component: lazyPage(() => import('../projects/projects-page.tsx'), 'ProjectsPage'),
});

const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  validateSearch: parseFlagSearch,
  component: lazyPage(() => import('../projects/project-page.tsx'), 'ProjectPage'),
});

const flag = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName',
  loader: ({ context, params: { projectId, featureName } }) =>
    void context.queries.prefetchQuery(featureQuery(projectId, featureName)),
  component: lazyPage(() => import('../flag/flag-page.tsx'), 'FlagPage'),
});

const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: parseEventSearch,
  component: lazyPage(() => import('../events/events-page.tsx'), 'EventsPage'),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: parsePlaygroundSearch,
  component: lazyPage(() => import('../playground/playground-page.tsx'), 'PlaygroundPage'),
});

const integrations = createRoute({
  getParentRoute: () => root,
  path: '/integrations',
  loader: ({ context }) => void context.queries.prefetchQuery(integrationsQuery),
  component: lazyPage(() => import('../integrations/integrations-page.tsx'), 'IntegrationsPage'),
});

const newIntegration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/new/$provider',
  loader: ({ context }) => void context.queries.prefetchQuery(integrationsQuery),
  component: lazyPage(() => import('../integrations/new-integration-page.tsx'), 'NewIntegrationPage'),
});

const integration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id',
  validateSearch: parseIntegrationSearch,
  loader: ({ context }) => void context.queries.prefetchQuery(integrationsQuery),
  component: lazyPage(() => import('../integrations/integration-page.tsx'), 'IntegrationPage'),
});

/** The pages below a flag's page in the public product, to which old links lead. */
const partOfFlag = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/$part',
  beforeLoad: ({ params: { projectId, featureName } }) => {
    throw redirect({ to: '/projects/$projectId/features/$featureName', params: { projectId, featureName } });
  },
});

/** The playground of the API links to strategies so. */
const linkToStrategy = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/strategies/edit',
  validateSearch: ({ environmentId, strategyId }: Record<string, unknown>) => ({
    environment: String(environmentId),
    strategyId: String(strategyId),
  }),
  beforeLoad: ({ params, search }) => {
    throw redirect({
      to: '/projects/$projectId/features/$featureName/environments/$environment/strategies/$strategyId',
      params: { ...params, ...search },
    });
  },
});

const strategy = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/environments/$environment/strategies/$strategyId',
  loader: ({ context, params: { projectId, featureName } }) =>
    void context.queries.prefetchQuery(featureQuery(projectId, featureName)),
  component: lazyPage(() => import('../flag/strategy/strategy-page.tsx'), 'StrategyPage'),
});

const signals = createRoute({
  getParentRoute: () => root,
  path: '/signals',
  validateSearch: parseSignalSearch,
  component: lazyPage(() => import('../signals/inbox/inbox-page.tsx'), 'InboxPage'),
});

const signalEndpoints = createRoute({
  getParentRoute: () => root,
  path: '/signals/endpoints',
  component: lazyPage(() => import('../signals/endpoints/endpoints-page.tsx'), 'EndpointsPage'),
});

const signalEndpoint = createRoute({
  getParentRoute: () => root,
  path: '/signals/endpoints/$endpointId',
  component: lazyPage(() => import('../signals/endpoints/endpoint-page.tsx'), 'EndpointPage'),
});

const actionSets = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/actions',
  component: lazyPage(() => import('../signals/actions/actions-page.tsx'), 'ActionsPage'),
});

const actionSet = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/actions/$actionSetId',
  validateSearch: parseActionSetSearch,
  component: lazyPage(() => import('../signals/actions/action-set-page.tsx'), 'ActionSetPage'),
});

const segments = createRoute({
  getParentRoute: () => root,
  path: '/segments',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => (q === undefined ? {} : { q: String(q) }),
  loader: ({ context }) => void context.queries.prefetchQuery(segmentsQuery),
  component: lazyPage(() => import('../segments/segments-page.tsx'), 'SegmentsPage'),
});

const segment = createRoute({
  getParentRoute: () => root,
  path: '/segments/$segmentId',
  validateSearch: ({ project }: Record<string, unknown>): { project?: string } =>
    project === undefined ? {} : { project: String(project) },
  loader: ({ context }) => void context.queries.prefetchQuery(segmentsQuery),
  component: lazyPage(() => import('../segments/segment-page.tsx'), 'SegmentPage'),
});

const environments = createRoute({
  getParentRoute: () => root,
  path: '/environments',
  loader: ({ context }) => void context.queries.prefetchQuery(environmentsQuery),
  component: lazyPage(() => import('../environments/environments-page.tsx'), 'EnvironmentsPage'),
});

const contextFields = createRoute({
  getParentRoute: () => root,
  path: '/context-fields',
  loader: ({ context }) => void context.queries.prefetchQuery(contextFieldsQuery(null)),
  component: lazyPage(() => import('../context-fields/context-fields-page.tsx'), 'ContextFieldsPage'),
});

/** Not below the list, where a field can have any name. */
const newContextField = createRoute({
  getParentRoute: () => root,
  path: '/new-context-field',
  component: lazyPage(() => import('../context-fields/context-field-page.tsx'), 'NewContextFieldPage'),
});

const contextField = createRoute({
  getParentRoute: () => root,
  path: '/context-fields/$contextField',
  loader: ({ context }) => void context.queries.prefetchQuery(contextFieldsQuery(null)),
  component: lazyPage(() => import('../context-fields/context-field-page.tsx'), 'ContextFieldPage'),
});

const tagTypes = createRoute({
  getParentRoute: () => root,
  path: '/tag-types',
  component: lazyPage(() => import('../tag-types/tag-types-page.tsx'), 'TagTypesPage'),
});

const featureTypes = createRoute({
  getParentRoute: () => root,
  path: '/feature-types',
  component: lazyPage(() => import('../feature-types/feature-types-page.tsx'), 'FeatureTypesPage'),
});

const projectSettings = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/settings',
  component: lazyPage(() => import('../projects/settings-page.tsx'), 'ProjectSettingsPage'),
});

const projectEnvironments = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/environments',
  component: lazyPage(() => import('../projects/environments-page.tsx'), 'ProjectEnvironmentsPage'),
});

const projectTransfer = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/transfer',
  component: lazyPage(() => import('../transfer/transfer-page.tsx'), 'TransferPage'),
});

const staleness = createRoute({
  getParentRoute: () => root,
  path: '/staleness',
  validateSearch: parseStalenessSearch,
  component: lazyPage(() => import('../staleness/staleness-page.tsx'), 'StalenessPage'),
});

const routeTree = root.addChildren([
  home,
  welcome,
  flags,
  projects,
  project,
  flag,
  strategy,
  partOfFlag,
  linkToStrategy,
  events,
  playground,
  integrations,
  newIntegration,
  integration,
  signals,
  signalEndpoints,
  signalEndpoint,
  actionSets,
  actionSet,
  projectSettings,
  projectEnvironments,
  projectTransfer,
  staleness,
  segments,
  segment,
  ...adminRoutes,
  environments,
  contextFields,
  newContextField,
  contextField,
  tagTypes,
  featureTypes,
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    basepath: basePath || '/',
    context: { queries },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
