import { createRoute, redirect } from '@tanstack/react-router';
import { parseAccessSearch } from '../admin/roles/access-search.ts';
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

const users = createRoute({
  getParentRoute: () => root,
  path: '/admin/users',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => (q === undefined ? {} : { q: String(q) }),
  component: lazyPage(() => import('../admin/users/users-page.tsx'), 'UsersPage'),
});

const serviceAccounts = createRoute({
  getParentRoute: () => root,
  path: '/admin/service-accounts',
  component: lazyPage(() => import('../admin/users/service-accounts-page.tsx'), 'ServiceAccountsPage'),
});

const groups = createRoute({
  getParentRoute: () => root,
  path: '/admin/groups',
  component: lazyPage(() => import('../admin/users/groups-page.tsx'), 'GroupsPage'),
});

const roles = createRoute({
  getParentRoute: () => root,
  path: '/admin/roles',
  component: lazyPage(() => import('../admin/roles/roles-page.tsx'), 'RolesPage'),
});

const role = createRoute({
  getParentRoute: () => root,
  path: '/admin/roles/$roleId',
  component: lazyPage(() => import('../admin/roles/role-page.tsx'), 'RolePage'),
});

const access = createRoute({
  getParentRoute: () => root,
  path: '/admin/access',
  validateSearch: parseAccessSearch,
  component: lazyPage(() => import('../admin/roles/access-page.tsx'), 'AccessPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/admin/settings',
  component: lazyPage(() => import('../admin/settings/settings-page.tsx'), 'SettingsPage'),
});

const banners = createRoute({
  getParentRoute: () => root,
  path: '/admin/banners',
  component: lazyPage(() => import('../admin/settings/banners-page.tsx'), 'BannersPage'),
});

const status = createRoute({
  getParentRoute: () => root,
  path: '/admin/status',
  component: lazyPage(() => import('../admin/status/status-page.tsx'), 'StatusPage'),
});

const personalTokens = createRoute({
  getParentRoute: () => root,
  path: '/profile/personal-api-tokens',
  component: lazyPage(() => import('../admin/tokens/personal-tokens-page.tsx'), 'PersonalTokensPage'),
});

const ownPassword = createRoute({
  getParentRoute: () => root,
  path: '/profile/change-password',
  component: lazyPage(() => import('./own-password-page.tsx'), 'OwnPasswordPage'),
});

/** The pages of the administration, and of the user who is logged in. */
export const adminRoutes = [
  admin,
  apiTokens,
  users,
  serviceAccounts,
  groups,
  roles,
  role,
  access,
  settings,
  banners,
  status,
  personalTokens,
  ownPassword,
] as const;
