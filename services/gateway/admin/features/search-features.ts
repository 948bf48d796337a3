import type { Bus } from '@yardarm/shared/bus';
import { searchFeatures } from '@yardarm/shared/contracts/flags';
import { refuseUnstorable } from '@yardarm/shared/errors';
import { ofContract, type Route, route } from '../../routing/route.ts';
import { featureFilters, toSearch } from './feature-filters.ts';

export function searchFeaturesRoute(bus: Bus): Route {
  return route({
    method: 'get',
    path: '/api/admin/search/features',
    operationId: 'searchFeatures',
    answerName: 'searchFeaturesSchema',
    ...ofContract(searchFeatures),
    tag: 'Search',
    audience: 'admin',
    query: featureFilters,
    answer: { status: 200, schema: searchFeatures.output },
    async handle({ query, context }) {
      // flags would name the properties of the request that it gets.
      refuseUnstorable(query);
      return { status: 200, body: await bus.request(searchFeatures, toSearch(query), context) };
    },
  });
}
