import type { Bus } from '@yardarm/shared/bus';
import {
  listVariants,
  patchVariants,
  replaceVariants,
  replaceVariantsInEnvironments,
} from '@yardarm/shared/contracts/flags';
import { longLists } from '../../routing/body-bounds.ts';
import { contractRoutes } from '../../routing/contract-routes.ts';
import type { Route } from '../../routing/route.ts';

const featurePath = '/api/admin/projects/:projectId/features/:featureName';
const path = `${featurePath}/environments/:environment/variants`;

export function variantRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  return [
    admin.get(path, 'getEnvironmentFeatureVariants', listVariants, { answerName: 'featureVariantsSchema', version: 1 }),
    admin.patch(path, 'patchEnvironmentsFeatureVariants', patchVariants, {
      ...longLists,
      bodyName: 'patchesSchema',
      answerName: 'featureVariantsSchema',
      version: 1,
      bodyField: 'operations',
    }),
    admin.put(path, 'overwriteEnvironmentFeatureVariants', replaceVariants, {
      ...longLists,
      bodyName: 'variantsSchema',
      answerName: 'featureVariantsSchema',
      version: 1,
      bodyField: 'variants',
    }),
    admin.put(
      `${featurePath}/variants-batch`,
      'overwriteFeatureVariantsOnEnvironments',
      replaceVariantsInEnvironments,
      { ...longLists, bodyName: 'pushVariantsSchema', answerName: 'featureVariantsSchema', version: 1 },
    ),
  ];
}
