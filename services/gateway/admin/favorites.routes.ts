import type { Bus } from '@yardarm/shared/bus';
import { addFavoriteFeature, removeFavoriteFeature } from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/projects/:projectId/features/:featureName/favorites';

export function favoriteRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.post(path, 'addFavoriteFeature', addFavoriteFeature),
    admin.delete(path, 'removeFavoriteFeature', removeFavoriteFeature),
  ];
}
