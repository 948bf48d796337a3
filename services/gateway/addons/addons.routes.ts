import type { Bus } from '@yardarm/shared/bus';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  integrationEventSchema,
  integrationSchema,
  listIntegrationEvents,
  listIntegrations,
  updateIntegration,
} from '@yardarm/shared/contracts/integrations';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf, pageQuery } from '../http/wire.ts';

const ofAddon = z.object({ id: z.string() });
const tag = 'Addons';
const noun = 'addon';

/** Integrations, which the public API calls addons. */
export function addonRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/addons',
      operationId: 'getAddons',
      ...ofContract(listIntegrations),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listIntegrations.output },
      async handle({ context }) {
        const pieces = await allOf(bus.requestMany(listIntegrations, {}, context), (piece) => [piece]);
        const addons = pieces.flatMap((piece) => piece.addons);
        return { status: 200, body: { addons, providers: pieces.flatMap((piece) => piece.providers) } };
      },
    }),
    route({
      method: 'post',
      path: '/api/admin/addons',
      operationId: 'createAddon',
      ...ofContract(createIntegration),
      tag,
      door: 'admin',
      body: createIntegration.input,
      answer: { status: 200, schema: integrationSchema },
      handle: async ({ body, context }) => ({ status: 200, body: await bus.request(createIntegration, body, context) }),
    }),
    route({
      method: 'get',
      path: '/api/admin/addons/:id',
      operationId: 'getAddon',
      ...ofContract(getIntegration),
      tag,
      door: 'admin',
      params: ofAddon,
      answer: { status: 200, schema: integrationSchema },
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(getIntegration, { id: idOf(params.id, noun) }, context),
      }),
    }),
    route({
      method: 'put',
      path: '/api/admin/addons/:id',
      operationId: 'updateAddon',
      ...ofContract(updateIntegration),
      tag,
      door: 'admin',
      params: ofAddon,
      body: updateIntegration.input.omit({ id: true }),
      answer: { status: 200, schema: integrationSchema },
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: await bus.request(updateIntegration, { ...body, id: idOf(params.id, noun) }, context),
      }),
    }),
    route({
      method: 'delete',
      path: '/api/admin/addons/:id',
      operationId: 'deleteAddon',
      ...ofContract(deleteIntegration),
      tag,
      door: 'admin',
      params: ofAddon,
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deleteIntegration, { id: idOf(params.id, noun) }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/addons/:id/events',
      operationId: 'getIntegrationEvents',
      ...ofContract(listIntegrationEvents),
      tag,
      door: 'admin',
      params: ofAddon,
      query: pageQuery,
      answer: { status: 200, schema: z.object({ integrationEvents: z.array(integrationEventSchema) }) },
      async handle({ params, query, context }) {
        const pieces = bus.requestMany(
          listIntegrationEvents,
          { ...query, integrationId: idOf(params.id, noun) },
          context,
        );
        return { status: 200, body: { integrationEvents: await allOf(pieces, (piece) => piece.integrationEvents) } };
      },
    }),
  ];
}
