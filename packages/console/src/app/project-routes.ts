import { createRoute } from '@tanstack/react-router';
import { featuresQuery, projectQuery, projectsQuery } from '../api/queries.ts';
import { parseFlagSearch, toFilters } from '../flags/flag-search.ts';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

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
  loader({ context: { queries }, params: { projectId }, location }) {
    void queries.prefetchQuery(projectQuery(projectId));
    void queries.prefetchInfiniteQuery(featuresQuery(toFilters(parseFlagSearch(location.search), projectId)));
  },
  component: lazyPage(() => import('../projects/project-page.tsx'), 'ProjectPage'),
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

const projectAccess = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/access',
  component: lazyPage(() => import('../projects/project-access-page.tsx'), 'ProjectAccessPage'),
});

const projectTransfer = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/transfer',
  component: lazyPage(() => import('../transfer/transfer-page.tsx'), 'TransferPage'),
});

const projectDefaultStrategy = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/environments/$environment/default-strategy',
  component: lazyPage(() => import('../flag/strategy/default-strategy-page.tsx'), 'DefaultStrategyPage'),
});

const projectSegments = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/segments',
  component: lazyPage(() => import('../segments/project-segments-page.tsx'), 'ProjectSegmentsPage'),
});

const projectContextFields = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/context',
  component: lazyPage(() => import('../context-fields/project-context-fields-page.tsx'), 'ProjectContextFieldsPage'),
});

/** Not below the list, where a field can have any name. */
const newProjectContextField = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/new-context-field',
  component: lazyPage(() => import('../context-fields/context-field-page.tsx'), 'NewProjectContextFieldPage'),
});

const projectContextField = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/context/$contextField',
  component: lazyPage(() => import('../context-fields/context-field-page.tsx'), 'ProjectContextFieldPage'),
});

/** The list of projects, and the pages of a project. */
export const projectRoutes = [
  projects,
  project,
  projectSettings,
  projectEnvironments,
  projectAccess,
  projectTransfer,
  projectDefaultStrategy,
  projectSegments,
  projectContextFields,
  newProjectContextField,
  projectContextField,
] as const;
