import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

const defaultStrategy = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/environments/$environment/default-strategy',
  component: lazyPage(() => import('../flag/strategy/default-strategy-page.tsx'), 'DefaultStrategyPage'),
});

const segments = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/segments',
  component: lazyPage(() => import('../segments/project-segments-page.tsx'), 'ProjectSegmentsPage'),
});

const contextFields = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/context',
  component: lazyPage(() => import('../context-fields/project-context-fields-page.tsx'), 'ProjectContextFieldsPage'),
});

/** Not below the list, where a field can have any name. */
const newContextField = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/new-context-field',
  component: lazyPage(() => import('../context-fields/context-field-page.tsx'), 'NewProjectContextFieldPage'),
});

const contextField = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/context/$contextField',
  component: lazyPage(() => import('../context-fields/context-field-page.tsx'), 'ProjectContextFieldPage'),
});

/** What a project has of its own for the strategies of its flags. */
export const projectPartsRoutes = [defaultStrategy, segments, contextFields, newContextField, contextField] as const;
