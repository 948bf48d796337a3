import type { Bus } from '@yardarm/shared/bus';
import {
  createFeature,
  getFeature,
  listFeatures,
  patchFeature,
  switchEnvironment,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { longLists } from '../../routing/body-bounds.ts';
import { contractRoutes } from '../../routing/contract-routes.ts';
import { featureFilters } from '../../routing/feature-filters.ts';
import type { Route } from '../../routing/route.ts';
import { activationQuery } from './activation.ts';
import { ifMatch, versioned } from './versions.ts';

const path = '/api/admin/projects/:projectId/features';
const environmentPath = `${path}/:featureName/environments/:environment`;

export function featureRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.post(path, 'createFeature', createFeature, { ...versioned, status: 201 }),
    admin.get(path, 'getFeatures', listFeatures, {
      answerName: 'featuresSchema',
      summary: 'The flags of a project that are not archived',
      query: z.object(featureFilters),
      version: 2,
    }),
    admin.get(`${path}/:featureName`, 'getFeature', getFeature, versioned),
    admin.patch(`${path}/:featureName`, 'patchFeature', patchFeature, {
      ...longLists,
      bodyName: 'patchesSchema',
      ...versioned,
      bodyField: 'operations',
      headers: { expectedVersions: ifMatch },
    }),
    admin.post(`${environmentPath}/on`, 'toggleFeatureEnvironmentOn', switchEnvironment, {
      ...versioned,
      summary: 'Switches a flag on in an environment',
      fixed: { enabled: true },
      query: activationQuery,
    }),
    admin.post(`${environmentPath}/off`, 'toggleFeatureEnvironmentOff', switchEnvironment, {
      ...versioned,
      summary: 'Switches a flag off in an environment',
      fixed: { enabled: false, shouldActivateDisabledStrategies: false },
    }),
  ];
}
