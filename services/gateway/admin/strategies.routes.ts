import type { Bus } from '@yardarm/shared/bus';
import {
  addStrategy,
  deleteStrategy,
  getStrategy,
  listStrategies,
  listStrategiesByContextField,
  patchStrategy,
  setStrategyOrder,
  setStrategySegments,
  updateStrategy,
  validateConstraint,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { strategyBody } from '../routing/body-bounds.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';
import { ifMatch } from './features/versions.ts';

const path = '/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies';

/** The strategies of flags with their constraints and segments. */
export function strategyRoutes(bus: Bus): Route[] {
  const flags = contractRoutes(bus, { audience: 'admin', tag: 'Features' });
  const strategies = contractRoutes(bus, { audience: 'admin', tag: 'Strategies' });
  return [
    flags.get(path, 'getFeatureStrategies', listStrategies, { answerField: 'strategies' }),
    flags.post(path, 'addFeatureStrategy', addStrategy, {
      ...strategyBody,
      bodyName: 'createFeatureStrategySchema',
      bodyField: 'strategy',
    }),
    flags.post(`${path}/set-sort-order`, 'setStrategySortOrder', setStrategyOrder, { bodyField: 'order' }),
    flags.get(`${path}/:strategyId`, 'getFeatureStrategy', getStrategy),
    flags.put(`${path}/:strategyId`, 'updateFeatureStrategy', updateStrategy, {
      ...strategyBody,
      bodyField: 'strategy',
    }),
    flags.patch(`${path}/:strategyId`, 'patchFeatureStrategy', patchStrategy, {
      ...strategyBody,
      bodyName: 'patchesSchema',
      bodyField: 'operations',
    }),
    flags.delete(`${path}/:strategyId`, 'deleteFeatureStrategy', deleteStrategy, {
      headers: { expectedVersions: ifMatch },
    }),
    flags.post('/api/admin/constraints/validate', 'validateConstraint', validateConstraint, {
      ...strategyBody,
      status: 204,
    }),
    strategies.post('/api/admin/segments/strategies', 'updateFeatureStrategySegments', setStrategySegments, {
      creates: {
        description: 'The path of the segments of the strategy',
        location: ({ strategyId }, from) => `${from}/${strategyId}`,
      },
    }),
    strategies.get(
      '/api/admin/context/:contextField/strategies',
      'getStrategiesByContextField',
      listStrategiesByContextField,
      {
        answerName: 'contextFieldStrategiesSchema',
        summary: 'The strategies with a constraint on a context field; none for an unknown field',
        query: z.object({}),
      },
    ),
    strategies.get(
      '/api/admin/projects/:projectId/context/:contextField/strategies',
      'getStrategiesByContextFieldForProject',
      listStrategiesByContextField,
      {
        answerName: 'contextFieldStrategiesSchema',
        summary: 'The strategies of a project with a constraint on a context field',
      },
    ),
  ];
}
