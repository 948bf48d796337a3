import type { Bus } from '@yardarm/shared/bus';
import {
  createStrategyType,
  deleteStrategyType,
  getStrategyType,
  listStrategyTypes,
  setStrategyTypeDeprecated,
  updateStrategyType,
} from '@yardarm/shared/contracts/flags';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/strategies';

export function strategyTypeRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Strategies' });
  return [
    admin.get(path, 'getAllStrategies', listStrategyTypes, { answerName: 'strategiesSchema', version: 1 }),
    admin.post(path, 'createStrategy', createStrategyType, {
      creates: {
        description: 'The path of the new strategy type',
        location: ({ name }, from) => `${from}/${encodeURIComponent(name)}`,
      },
    }),
    admin.get(`${path}/:name`, 'getStrategy', getStrategyType),
    admin.put(`${path}/:name`, 'updateStrategy', updateStrategyType),
    admin.delete(`${path}/:name`, 'removeStrategy', deleteStrategyType),
    admin.post(`${path}/:strategyName/deprecate`, 'deprecateStrategy', setStrategyTypeDeprecated, {
      summary: 'Marks a custom type of strategies as deprecated; strategies may still have it',
      fixed: { deprecated: true },
    }),
    admin.post(`${path}/:strategyName/reactivate`, 'reactivateStrategy', setStrategyTypeDeprecated, {
      summary: 'Marks a custom type of strategies as not deprecated',
      fixed: { deprecated: false },
    }),
  ];
}
