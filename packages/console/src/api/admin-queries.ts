import { queryOptions } from '@tanstack/react-query';
import { answer, api, type Schemas } from './client.ts';

/** What the screens of the administration read. Apart from the others, so that the first screen does not load it. */

export type ApiToken = Schemas['apiTokenSchema'];
export type PersonalToken = Schemas['patSchema'];
export type User = Schemas['userSchema'];
export type Role = Schemas['roleSchema'];
export type Group = Schemas['groupSchema'];
export type ServiceAccount = Schemas['serviceAccountSchema'];
export type Banner = Schemas['bannerSchema'];
export type PermissionName = Schemas['adminPermissionSchema']['name'];

export const apiTokensQuery = queryOptions({
  queryKey: ['tokens', 'api'],
  queryFn: async () => (await answer(api.GET('/api/admin/api-tokens'))).tokens,
});

export const personalTokensQuery = queryOptions({
  queryKey: ['tokens', 'personal'],
  queryFn: async () => (await answer(api.GET('/api/admin/user/tokens'))).pats,
});

export const usersQuery = queryOptions({
  queryKey: ['people', 'users'],
  queryFn: () => answer(api.GET('/api/admin/user-admin')),
});

/** The users, service accounts and groups that can be given access, for those who may not read the others. */
export const assignableQuery = queryOptions({
  queryKey: ['people', 'assignable'],
  queryFn: () => answer(api.GET('/api/admin/user-admin/access')),
});

export const serviceAccountsQuery = queryOptions({
  queryKey: ['people', 'service-accounts'],
  queryFn: () => answer(api.GET('/api/admin/service-account')),
});

export const groupsQuery = queryOptions({
  queryKey: ['people', 'groups'],
  queryFn: async () => (await answer(api.GET('/api/admin/groups'))).groups,
});

export const rolesQuery = queryOptions({
  queryKey: ['people', 'roles'],
  queryFn: async () => (await answer(api.GET('/api/admin/roles'))).roles,
});

export const roleQuery = (roleId: number) =>
  queryOptions({
    queryKey: ['people', 'roles', roleId],
    queryFn: () => answer(api.GET('/api/admin/roles/{roleId}', { params: { path: { roleId: `${roleId}` } } })),
  });

export const permissionsQuery = queryOptions({
  queryKey: ['people', 'permissions'],
  queryFn: async () => (await answer(api.GET('/api/admin/permissions'))).permissions,
});

/** Who has access to what. */
export const accessOverviewQuery = queryOptions({
  queryKey: ['people', 'overview'],
  queryFn: async () => (await answer(api.GET('/api/admin/access/overview'))).overview,
});

/** What somebody may do: everywhere, in a project, and for an environment of it. */
export const permissionsOfQuery = (id: number, project: string, environment: string) =>
  queryOptions({
    queryKey: ['people', 'permissions-of', id, project, environment],
    queryFn: () =>
      answer(
        api.GET('/api/admin/user-admin/{id}/permissions', {
          params: { path: { id: `${id}` }, query: { project, environment } },
        }),
      ),
  });

export const projectAccessQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'access'],
    queryFn: () => answer(api.GET('/api/admin/projects/{projectId}/access', { params: { path: { projectId } } })),
  });

/** Processes are no events of the log. */
const statusMs = 5_000;

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async () => (await answer(api.GET('/api/admin/instance-admin/status'))).services,
  refetchInterval: statusMs,
});

export const statisticsQuery = queryOptions({
  queryKey: ['statistics'],
  queryFn: () => answer(api.GET('/api/admin/instance-admin/statistics')),
});
