import { createRoute } from '@tanstack/react-router';
import { parseActionSetSearch } from '../signals/actions/action-set-search.ts';
import { parseSignalSearch } from '../signals/inbox/signal-search.ts';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

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

/** Signals, their endpoints, and the actions of a project. */
export const signalRoutes = [signals, signalEndpoints, signalEndpoint, actionSets, actionSet] as const;
