import type { Bus } from '@yardarm/shared/bus';
import { deleteFeature, deleteFeatures, reviveFeature, reviveFeatures } from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';
import { bulkBody } from './features/bulk-body.ts';

export function archiveRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Archive' });
  return [
    admin.delete('/api/admin/archive/:featureName', 'deleteFeature', deleteFeature),
    admin.post('/api/admin/archive/revive/:featureName', 'reviveFeature', reviveFeature),
    admin.post('/api/admin/projects/:projectId/delete', 'deleteFeatures', deleteFeatures, {
      ...bulkBody,
      bodyName: 'batchFeaturesSchema',
    }),
    admin.post('/api/admin/projects/:projectId/revive', 'reviveFeatures', reviveFeatures, {
      ...bulkBody,
      bodyName: 'batchFeaturesSchema',
    }),
  ];
}
