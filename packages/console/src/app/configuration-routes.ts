import { createRoute } from '@tanstack/react-router';
import { contextFieldsQuery, environmentsQuery, segmentsQuery } from '../api/queries.ts';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

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

/** What the flags of all projects share. */
export const configurationRoutes = [
  segments,
  segment,
  environments,
  contextFields,
  newContextField,
  contextField,
  tagTypes,
  featureTypes,
] as const;
