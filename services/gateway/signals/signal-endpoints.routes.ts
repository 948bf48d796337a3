import type { Bus } from '@yardarm/shared/bus';
import {
  createSignalEndpoint,
  createSignalEndpointToken,
  listEndpointSignals,
  listSignalEndpoints,
  listSignalEndpointTokens,
  signalEndpointSchema,
  signalEndpointTokenSchema,
} from '@yardarm/shared/contracts/signals';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf, pageQuery } from '../http/wire.ts';

const path = '/api/admin/signal-endpoints';
const ofEndpoint = z.object({ signalEndpointId: z.string() });
const tag = 'Signals';
const noun = 'signal endpoint';

/** The path that external systems call. */
export function callPath(endpointName: string): string {
  return `/api/signal-endpoint/${endpointName}`;
}

/** Signal endpoints, their tokens and what they received, for administrators. */
export function signalEndpointRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getSignalEndpoints',
      ...ofContract(listSignalEndpoints),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listSignalEndpoints.output },
      handle: async ({ context }) => ({ status: 200, body: await bus.request(listSignalEndpoints, {}, context) }),
    }),
    route({
      method: 'post',
      path,
      operationId: 'createSignalEndpoint',
      ...ofContract(createSignalEndpoint),
      tag,
      door: 'admin',
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
    route({
      method: 'get',
      path: `${path}/:signalEndpointId/tokens`,
      operationId: 'getSignalEndpointTokens',
      ...ofContract(listSignalEndpointTokens),
      tag,
      door: 'admin',
      params: ofEndpoint,
      answer: { status: 200, schema: listSignalEndpointTokens.output },
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(
          listSignalEndpointTokens,
          { signalEndpointId: idOf(params.signalEndpointId, noun) },
          context,
        ),
      }),
    }),
    route({
      method: 'post',
      path: `${path}/:signalEndpointId/tokens`,
      operationId: 'createSignalEndpointToken',
      ...ofContract(createSignalEndpointToken),
      tag,
      door: 'admin',
      params: ofEndpoint,
      body: createSignalEndpointToken.input.omit({ signalEndpointId: true }),
      answer: { status: 201, schema: signalEndpointTokenSchema, headers: { location: 'The path of the new token' } },
      async handle({ params, body, context }) {
        const signalEndpointId = idOf(params.signalEndpointId, noun);
        const token = await bus.request(createSignalEndpointToken, { ...body, signalEndpointId }, context);
        return {
          status: 201,
          body: token,
          headers: { location: `${path}/${signalEndpointId}/tokens/${token.id}`, 'cache-control': 'no-store' },
        };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:signalEndpointId/signals`,
      operationId: 'getSignalEndpointSignals',
      ...ofContract(listEndpointSignals),
      tag,
      door: 'admin',
      params: ofEndpoint,
      query: pageQuery,
      answer: { status: 200, schema: listEndpointSignals.output },
      async handle({ params, query, context }) {
        const signalEndpointId = idOf(params.signalEndpointId, noun);
        const pieces = bus.requestMany(listEndpointSignals, { ...query, signalEndpointId }, context);
        return {
          status: 200,
          body: { signalEndpointSignals: await allOf(pieces, (piece) => piece.signalEndpointSignals) },
        };
      },
    }),
  ];
}
