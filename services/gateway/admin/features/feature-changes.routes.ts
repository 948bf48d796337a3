import type { Bus } from '@yardarm/shared/bus';
import {
  archiveFeature,
  archiveFeatures,
  changeProject,
  cloneFeature,
  getFeatureEnvironment,
  staleFeatures,
  switchFeatures,
  updateFeature,
  validateArchiveFeatures,
  validateFeature,
} from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../../routing/contract-routes.ts';
import type { Route } from '../../routing/route.ts';
import { activationQuery } from './activation.ts';
import { bulkBody } from './bulk-body.ts';
import { versioned } from './versions.ts';

const project = '/api/admin/projects/:projectId';
const feature = `${project}/features/:featureName`;
const bulk = `${project}/bulk_features/environments/:environment`;

/** The operations on whole flags beside those of `featureRoutes`, and those on many flags. */
export function featureChangeRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.post('/api/admin/features/validate', 'validateFeature', validateFeature),
    admin.put(feature, 'updateFeature', updateFeature, versioned),
    admin.delete(feature, 'archiveFeature', archiveFeature, { status: 202 }),
    // Its strategies may have a megabyte.
    admin.post(`${feature}/clone`, 'cloneFeature', cloneFeature, { ...versioned, status: 201, isLong: true }),
    admin.post(`${feature}/changeProject`, 'changeProject', changeProject),
    admin.get(`${feature}/environments/:environment`, 'getFeatureEnvironment', getFeatureEnvironment),
    admin.post(`${project}/archive/validate`, 'validateArchiveFeatures', validateArchiveFeatures, {
      ...bulkBody,
      bodyName: 'batchFeaturesSchema',
      answerName: 'validateArchiveFeaturesSchema',
    }),
    admin.post(`${project}/archive`, 'archiveFeatures', archiveFeatures, {
      bodyName: 'batchFeaturesSchema',
      ...bulkBody,
      status: 202,
    }),
    admin.post(`${project}/stale`, 'staleFeatures', staleFeatures, {
      bodyName: 'batchStaleSchema',
      ...bulkBody,
      status: 202,
    }),
    admin.post(`${bulk}/on`, 'bulkToggleFeaturesEnvironmentOn', switchFeatures, {
      bodyName: 'bulkToggleFeaturesSchema',
      summary: 'Switches flags of a project on in an environment, all or none',
      ...bulkBody,
      fixed: { enabled: true },
      query: activationQuery,
    }),
    admin.post(`${bulk}/off`, 'bulkToggleFeaturesEnvironmentOff', switchFeatures, {
      bodyName: 'bulkToggleFeaturesSchema',
      summary: 'Switches flags of a project off in an environment, all or none',
      ...bulkBody,
      fixed: { enabled: false, shouldActivateDisabledStrategies: false },
    }),
  ];
}
