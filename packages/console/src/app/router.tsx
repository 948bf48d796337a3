import type { QueryClient } from '@tanstack/react-query';
import { type AnyRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { basePath } from '../api/client.ts';
import { featuresQuery } from '../api/queries.ts';
import { parseEventSearch } from '../events/event-search.ts';
import { parseWelcomeSearch } from '../welcome/welcome-search.ts';
import { adminRoutes } from './admin-routes.ts';
import { configurationRoutes } from './configuration-routes.ts';
import { PageFailed } from './crashed.tsx';
import { flagRoutes } from './flag-routes.ts';
import { integrationRoutes } from './integration-routes.ts';
import { lazyPage } from './missing-part.tsx';
import { projectRoutes } from './project-routes.ts';
import { root } from './root-route.ts';
import { signalRoutes } from './signal-routes.ts';

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

const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: parseEventSearch,
  component: lazyPage(() => import('../events/events-page.tsx'), 'EventsPage'),
});

const routeTree = root.addChildren([
  home,
  welcome,
  events,
  ...flagRoutes,
  ...projectRoutes,
  ...signalRoutes,
  ...integrationRoutes,
  ...configurationRoutes,
  ...adminRoutes,
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    basepath: basePath || '/',
    context: { queries },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageFailed,
    // What a screen does not take from an address would reach it otherwise.
    search: { strict: true },
    scrollRestoration: true,
  });
}

/**
 * Loads the files of the page while the session is asked for. What it reads waits: without a session, all of that would
 * be refused. A file that is missing is said in place of the page.
 */
export function loadPage(router: ReturnType<typeof createAppRouter>): void {
  const routes: Record<string, AnyRoute> = router.routesById;
  for (const { routeId } of router.matchRoutes(router.latestLocation) as { routeId: string }[])
    void router.loadRouteChunk(routes[routeId]!)?.catch(() => undefined);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
