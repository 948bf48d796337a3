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
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/api-tokens';
const projectPath = '/api/admin/projects/:projectId/api-tokens';

/** Tokens with the same name share a path, whatever their projects. */
const created = {
  location: (token: { tokenName: string }) => `${path}/${encodeURIComponent(token.tokenName)}`,
  description: 'The path of the tokens with this name',
};

export function apiTokenRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag: 'API tokens',
    params: { token: { field: 'tokenName' } },
  });
  return [
    admin.get(path, 'getAllApiTokens', listApiTokens, {
      answerName: 'apiTokensSchema',
      fixed: { tokenName: undefined },
    }),
    admin.post(path, 'createApiToken', createApiToken, { creates: created }),
    // The parameter is a token name. It is called `token` as in the next two routes, which share the path in OpenAPI.
    admin.get(`${path}/:token`, 'getApiTokensByName', listApiTokens),
    admin.put(`${path}/:token`, 'updateApiToken', updateApiToken),
    admin.delete(`${path}/:token`, 'deleteApiToken', deleteApiToken),
    admin.get(projectPath, 'getProjectApiTokens', listProjectApiTokens, { answerName: 'apiTokensSchema' }),
    admin.post(projectPath, 'createProjectApiToken', createProjectApiToken, { creates: created }),
    admin.delete(`${projectPath}/:token`, 'deleteProjectApiToken', deleteProjectApiToken),
  ];
}
