import type { Bus } from '@yardarm/shared/bus';
import {
  createApiToken,
  createProjectApiToken,
  deleteApiToken,
  deleteProjectApiToken,
  listApiTokens,
  listProjectApiTokens,
  updateApiToken,
} from '@yardarm/shared/contracts/accounts';
import { contractRoutes } from '../http/contract-routes.ts';
import type { Route } from '../http/route.ts';

const path = '/api/admin/api-tokens';
const projectPath = '/api/admin/projects/:projectId/api-tokens';

/** Every project's tokens of a name are under the same path. */
const created = {
  location: (token: { tokenName: string }) => `${path}/${encodeURIComponent(token.tokenName)}`,
  description: 'Where tokens of this name are',
};

/** Tokens of SDKs and of scripts, for administrators and for owners of a project. */
export function apiTokenRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag: 'API tokens',
    params: { token: { field: 'tokenName' } },
  });
  return [
    admin.get(path, 'getAllApiTokens', listApiTokens, { fixed: { tokenName: undefined } }),
    admin.post(path, 'createApiToken', createApiToken, { creates: created, hasSecret: true }),
    // The parameter is a name. An OpenAPI document has one path for this and the next two, so it has their name.
    admin.get(`${path}/:token`, 'getApiTokensByName', listApiTokens),
    admin.put(`${path}/:token`, 'updateApiToken', updateApiToken),
    admin.delete(`${path}/:token`, 'deleteApiToken', deleteApiToken),
    admin.get(projectPath, 'getProjectApiTokens', listProjectApiTokens),
    admin.post(projectPath, 'createProjectApiToken', createProjectApiToken, { creates: created, hasSecret: true }),
    admin.delete(`${projectPath}/:token`, 'deleteProjectApiToken', deleteProjectApiToken),
  ];
}
