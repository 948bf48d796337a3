import type { Bus } from '@yardarm/shared/bus';
import {
  completeFeature,
  countLifecycleStages,
  getFeatureLifecycle,
  uncompleteFeature,
} from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/projects/:projectId/features/:featureName/lifecycle';

export function lifecycleRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.get(path, 'getFeatureLifecycle', getFeatureLifecycle, {
      answerName: 'featureLifecycleSchema',
      answerField: 'stages',
    }),
    admin.post(`${path}/complete`, 'complete', completeFeature, { bodyName: 'featureLifecycleCompletedSchema' }),
    admin.post(`${path}/uncomplete`, 'uncomplete', uncompleteFeature),
    admin.get('/api/admin/lifecycle/count', 'getFeatureLifecycleStageCount', countLifecycleStages, {
      answerName: 'featureLifecycleCountSchema',
    }),
  ];
}
