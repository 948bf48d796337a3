import type { Bus } from '@yardarm/shared/bus';
import {
  countSignals,
  findSignals,
  foundSignalSchema,
  listEndpointSignals,
  payloadSearchSchema,
} from '@yardarm/shared/contracts/signals';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { dayQuery, pageQuery, wholeNumber } from '../routing/wire.ts';

const tag = 'Signals';

const listQuery = pageQuery.extend({
  from: dayQuery,
  to: dayQuery,
  payload: payloadSearchSchema.optional().meta({
    description:
      'A path into the payload, `=`, and the value there: `alerts[0].labels.severity=critical`. A key with dots or brackets is written `labels["app.kubernetes.io/name"]`.',
  }),
});

const overAllQuery = listQuery.extend({
  sourceId: wholeNumber(1, 2_147_483_647)
    .optional()
    .meta({ description: 'The id of a signal endpoint', examples: ['2'] }),
  hasRuns: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Whether an action set ran for the signal. It requires ADMIN' }),
});

/** The lists of stored signals. They have each payload as it was sent. */
export function signalListRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag,
    params: { signalEndpointId: { noun: 'signal endpoint' } },
  });
  return [
    admin.get(
      '/api/admin/signal-endpoints/:signalEndpointId/signals',
      'getSignalEndpointSignals',
      listEndpointSignals,
      { answerName: 'signalEndpointSignalsSchema', query: listQuery },
    ),
    route({
      method: 'get',
      path: '/api/admin/signals',
      operationId: 'getSignals',
      answerName: 'signalQueryResponseSchema',
      ...ofContract(findSignals),
      tag,
      audience: 'admin',
      query: overAllQuery,
      answer: {
        status: 200,
        schema: z.object({
          signals: z.array(foundSignalSchema),
          total: z
            .number()
            .int()
            .min(0)
            .meta({ description: 'Counted up to 100,000, and up to 10,000 with `payload`', examples: [1] }),
        }),
      },
      async handle({ query, context }) {
        const { limit: _, offset: __, ...filters } = query;
        const { total } = await bus.request(countSignals, filters, context);
        const pieces = bus.requestItems(findSignals, query, context);
        return { status: 200, list: { head: `{"total":${total},"signals":[`, pieces, tail: ']}' } };
      },
    }),
  ];
}
