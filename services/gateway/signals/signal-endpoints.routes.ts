import type { Bus } from '@yardarm/shared/bus';
import {
  createSignalEndpoint,
  createSignalEndpointToken,
  listEndpointSignals,
  listSignalEndpoints,
  listSignalEndpointTokens,
  signalEndpointSchema,
} from '@yardarm/shared/contracts/signals';
import { z } from 'zod';
import { contractRoutes } from '../http/contract-routes.ts';
import { ofContract, type Route, route } from '../http/route.ts';
import { pageQuery } from '../http/wire.ts';

const path = '/api/admin/signal-endpoints';
const tag = 'Signals';

export function callPath(endpointName: string): string {
  return `/api/signal-endpoint/${endpointName}`;
}

export function signalEndpointRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag,
    params: { signalEndpointId: { noun: 'signal endpoint' } },
  });
  return [
    admin.get(path, 'getSignalEndpoints', listSignalEndpoints),
    route({
      method: 'post',
      path,
      operationId: 'createSignalEndpoint',
      ...ofContract(createSignalEndpoint),
      tag,
      audience: 'admin',
      body: createSignalEndpoint.input,
      answer: {
        status: 201,
        schema: signalEndpointSchema.extend({ url: z.string().meta({ examples: [callPath('alerts')] }) }),
        headers: { location: 'The path of the new signal endpoint' },
      },
      async handle({ body, context }) {
        const endpoint = await bus.request(createSignalEndpoint, body, context);
        return {
          status: 201,
          body: { ...endpoint, url: callPath(endpoint.name) },
          headers: { location: `${path}/${endpoint.id}` },
        };
      },
    }),
    admin.get(`${path}/:signalEndpointId/tokens`, 'getSignalEndpointTokens', listSignalEndpointTokens),
    admin.post(`${path}/:signalEndpointId/tokens`, 'createSignalEndpointToken', createSignalEndpointToken, {
      creates: 'token',
      hasSecret: true,
    }),
    admin.get(`${path}/:signalEndpointId/signals`, 'getSignalEndpointSignals', listEndpointSignals, {
      query: pageQuery,
    }),
  ];
}
