import type { Bus } from '@yardarm/shared/bus';
import {
  createSignalEndpoint,
  createSignalEndpointToken,
  deleteSignalEndpoint,
  deleteSignalEndpointToken,
  listSignalEndpoints,
  listSignalEndpointTokens,
  type SignalEndpoint,
  signalEndpointSchema,
  switchSignalEndpoint,
  updateSignalEndpoint,
  updateSignalEndpointToken,
} from '@yardarm/shared/contracts/signals';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { idOf } from '../routing/wire.ts';

const path = '/api/admin/signal-endpoints';
const tag = 'Signals';
const noun = 'signal endpoint';
const ofToken = { params: { id: { noun: 'signal endpoint token' } } };

/** An endpoint that was changed, with the address that senders use. */
const changedEndpointSchema = signalEndpointSchema.extend({
  url: z.string().meta({ examples: ['https://flags.example.com/api/signal-endpoint/alerts'] }),
});

/** `publicUrl` is the address under which senders reach this system. */
export function signalEndpointRoutes(bus: Bus, publicUrl: string): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag,
    params: { id: { noun }, signalEndpointId: { noun } },
  });
  const withUrl = (endpoint: SignalEndpoint) => ({
    ...endpoint,
    url: `${publicUrl}/api/signal-endpoint/${endpoint.name}`,
  });
  const params = z.object({ id: z.string() });
  const switchRoute = (verb: 'on' | 'off', operationId: string): Route =>
    route({
      method: 'post',
      path: `${path}/:id/${verb}`,
      operationId,
      ...ofContract(switchSignalEndpoint),
      summary: verb === 'on' ? 'Switches a signal endpoint on' : 'Switches a signal endpoint off',
      tag,
      audience: 'admin',
      params,
      answer: { status: 200, schema: changedEndpointSchema },
      async handle({ params: { id }, context }) {
        const input = { id: idOf(id, noun), enabled: verb === 'on' };
        return { status: 200, body: withUrl(await bus.request(switchSignalEndpoint, input, context)) };
      },
    });
  return [
    admin.get(path, 'getSignalEndpoints', listSignalEndpoints, { answerName: 'signalEndpointsSchema' }),
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
        schema: changedEndpointSchema,
        headers: { location: 'The path of the new signal endpoint' },
      },
      async handle({ body, context }) {
        const endpoint = await bus.request(createSignalEndpoint, body, context);
        return { status: 201, body: withUrl(endpoint), headers: { location: `${path}/${endpoint.id}` } };
      },
    }),
    route({
      method: 'put',
      path: `${path}/:id`,
      operationId: 'updateSignalEndpoint',
      ...ofContract(updateSignalEndpoint),
      tag,
      audience: 'admin',
      params,
      body: updateSignalEndpoint.input.omit({ id: true }),
      answer: { status: 200, schema: changedEndpointSchema },
      async handle({ params: { id }, body, context }) {
        const input = { ...body, id: idOf(id, noun) };
        return { status: 200, body: withUrl(await bus.request(updateSignalEndpoint, input, context)) };
      },
    }),
    admin.delete(`${path}/:id`, 'deleteSignalEndpoint', deleteSignalEndpoint),
    switchRoute('on', 'enableSignalEndpoint'),
    switchRoute('off', 'disableSignalEndpoint'),
    admin.get(`${path}/:signalEndpointId/tokens`, 'getSignalEndpointTokens', listSignalEndpointTokens, {
      answerName: 'signalEndpointTokensSchema',
    }),
    admin.post(`${path}/:signalEndpointId/tokens`, 'createSignalEndpointToken', createSignalEndpointToken, {
      creates: 'token',
    }),
    admin.put(`${path}/:signalEndpointId/tokens/:id`, 'updateSignalEndpointToken', updateSignalEndpointToken, ofToken),
    admin.delete(
      `${path}/:signalEndpointId/tokens/:id`,
      'deleteSignalEndpointToken',
      deleteSignalEndpointToken,
      ofToken,
    ),
  ];
}
