import { createRoute, redirect } from '@tanstack/react-router';
import { parseTokenSearch } from '../admin/tokens/token-search.ts';
import { lazyPage } from './missing-part.tsx';
import { root } from './root-route.ts';

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/api' });
  },
});

const apiTokens = createRoute({
  getParentRoute: () => root,
  path: '/admin/api',
  validateSearch: parseTokenSearch,
  component: lazyPage(() => import('../admin/tokens/api-tokens-page.tsx'), 'ApiTokensPage'),
});

const personalTokens = createRoute({
  getParentRoute: () => root,
  path: '/profile/personal-api-tokens',
  component: lazyPage(() => import('../admin/tokens/personal-tokens-page.tsx'), 'PersonalTokensPage'),
});

/** The pages of the administration, and of the user who is logged in. */
export const adminRoutes = [admin, apiTokens, personalTokens] as const;
