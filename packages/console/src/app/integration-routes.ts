import { createRoute } from '@tanstack/react-router';
import { integrationsQuery } from '../api/queries.ts';
import { parseIntegrationSearch } from '../integrations/integration-search.ts';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

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

/** Integrations. */
export const integrationRoutes = [integrations, newIntegration, integration] as const;
