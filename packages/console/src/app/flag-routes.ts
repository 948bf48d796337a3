import { createRoute, redirect } from '@tanstack/react-router';
import { featureQuery, featuresQuery } from '../api/queries.ts';
import { parseHistorySearch } from '../flag/history/history-search.ts';
import { parseUsageSearch } from '../flag/usage/usage-search.ts';
import { parseFlagSearch, toFilters } from '../flags/flag-search.ts';
import { parsePlaygroundSearch } from '../playground/playground-search.ts';
import { parseStalenessSearch } from '../staleness/staleness-search.ts';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

const flags = createRoute({
  getParentRoute: () => root,
  path: '/features',
  validateSearch: parseFlagSearch,
  loader: ({ context, location }) =>
    void context.queries.prefetchInfiniteQuery(featuresQuery(toFilters(parseFlagSearch(location.search)))),
  component: lazyPage(() => import('../flags/all-flags-page.tsx'), 'AllFlagsPage'),
});

const flag = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName',
  loader: ({ context, params: { projectId, featureName } }) =>
    void context.queries.prefetchQuery(featureQuery(projectId, featureName)),
  component: lazyPage(() => import('../flag/flag-page.tsx'), 'FlagPage'),
});

const strategy = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/environments/$environment/strategies/$strategyId',
  loader: ({ context, params: { projectId, featureName } }) =>
    void context.queries.prefetchQuery(featureQuery(projectId, featureName)),
  component: lazyPage(() => import('../flag/strategy/strategy-page.tsx'), 'StrategyPage'),
});

const history = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/history',
  validateSearch: parseHistorySearch,
  component: lazyPage(() => import('../flag/history/history-page.tsx'), 'HistoryPage'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/usage',
  validateSearch: parseUsageSearch,
  component: lazyPage(() => import('../flag/usage/usage-page.tsx'), 'UsagePage'),
});

/** Where the parts of a flag's page in the public product are here. The others are on the page itself. */
const pageOfPart = {
  logs: '/projects/$projectId/features/$featureName/history',
  metrics: '/projects/$projectId/features/$featureName/usage',
} as const;

/** The pages below a flag's page in the public product, to which old links lead. */
const partOfFlag = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/$part',
  beforeLoad: ({ params: { projectId, featureName, part } }) => {
    const to = part === 'logs' || part === 'metrics' ? pageOfPart[part] : '/projects/$projectId/features/$featureName';
    throw redirect({ to, params: { projectId, featureName } });
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

const variants = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/features/$featureName/environments/$environment/variants',
  loader: ({ context, params: { projectId, featureName } }) =>
    void context.queries.prefetchQuery(featureQuery(projectId, featureName)),
  component: lazyPage(() => import('../flag/variants/variants-page.tsx'), 'VariantsPage'),
});

const staleness = createRoute({
  getParentRoute: () => root,
  path: '/staleness',
  validateSearch: parseStalenessSearch,
  component: lazyPage(() => import('../staleness/staleness-page.tsx'), 'StalenessPage'),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: parsePlaygroundSearch,
  component: lazyPage(() => import('../playground/playground-page.tsx'), 'PlaygroundPage'),
});

/** The lists of flags, the pages of a flag, and what is asked about flags. */
export const flagRoutes = [
  flags,
  flag,
  usage,
  history,
  strategy,
  variants,
  partOfFlag,
  linkToStrategy,
  staleness,
  playground,
] as const;
