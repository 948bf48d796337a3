import type { Bus } from '@yardarm/shared/bus';
import {
  addDependency,
  checkDependenciesExist,
  deleteDependencies,
  deleteDependency,
  listParentOptions,
  listParentVariantOptions,
} from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const projectPath = '/api/admin/projects/:projectId';
const path = `${projectPath}/features/:child/dependencies`;

export function dependencyRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Dependencies' });
  return [
    admin.post(path, 'addFeatureDependency', addDependency, { bodyName: 'createDependentFeatureSchema' }),
    admin.delete(path, 'deleteFeatureDependencies', deleteDependencies),
    admin.delete(`${path}/:parent`, 'deleteFeatureDependency', deleteDependency),
    admin.get(`${projectPath}/features/:child/parents`, 'listParentOptions', listParentOptions, {
      answerName: 'parentFeatureOptionsSchema',
      answerField: 'features',
    }),
    admin.get(`${projectPath}/features/:parent/parent-variants`, 'listParentVariantOptions', listParentVariantOptions, {
      answerName: 'parentVariantOptionsSchema',
      answerField: 'variants',
    }),
    admin.get(`${projectPath}/dependencies`, 'checkDependenciesExist', checkDependenciesExist, {
      answerName: 'dependenciesExistSchema',
      answerField: 'exist',
    }),
  ];
}
