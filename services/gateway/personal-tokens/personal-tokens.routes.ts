import type { Bus } from '@yardarm/shared/bus';
import { createPersonalToken, deletePersonalToken, listPersonalTokens } from '@yardarm/shared/contracts/accounts';
import { contractRoutes } from '../http/contract-routes.ts';
import type { Route } from '../http/route.ts';

const path = '/api/admin/user/tokens';

/** The caller's own personal access tokens. */
export function personalTokenRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag: 'Personal access tokens',
    params: { id: { field: 'tokenId', noun: 'personal access token' } },
  });
  return [
    admin.get(path, 'getPats', listPersonalTokens),
    admin.post(path, 'createPat', createPersonalToken, { creates: 'token' }),
    admin.delete(`${path}/:id`, 'deletePat', deletePersonalToken),
  ];
}
