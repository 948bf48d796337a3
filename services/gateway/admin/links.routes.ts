import type { Bus } from '@yardarm/shared/bus';
import { createFeatureLink, deleteFeatureLink, updateFeatureLink } from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/projects/:projectId/features/:featureName/link';

export function linkRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.post(path, 'createFeatureLink', createFeatureLink, { bodyName: 'linkSchema', status: 204 }),
    admin.put(`${path}/:linkId`, 'updateFeatureLink', updateFeatureLink, { bodyName: 'linkSchema', status: 204 }),
    admin.delete(`${path}/:linkId`, 'deleteFeatureLink', deleteFeatureLink, { status: 204 }),
  ];
}
