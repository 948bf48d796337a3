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
import { type Route, route } from '../http/route.ts';
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
      summary: listIntegrations.summary,
      tag,
      door: 'admin',
      answer: { status: 200, schema: listIntegrations.output },
      errors: listIntegrations.errors,
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
      summary: createIntegration.summary,
      tag,
      door: 'admin',
      permission: 'CREATE_ADDON',
      body: createIntegration.input,
      answer: { status: 200, schema: integrationSchema },
      errors: createIntegration.errors,
      handle: async ({ body, context }) => ({ status: 200, body: await bus.request(createIntegration, body, context) }),
    }),
    route({
      method: 'get',
      path: '/api/admin/addons/:id',
      operationId: 'getAddon',
      summary: getIntegration.summary,
      tag,
      door: 'admin',
      params: ofAddon,
      answer: { status: 200, schema: integrationSchema },
      errors: getIntegration.errors,
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(getIntegration, { id: idOf(params.id, noun) }, context),
      }),
    }),
    route({
      method: 'put',
      path: '/api/admin/addons/:id',
      operationId: 'updateAddon',
      summary: updateIntegration.summary,
      tag,
      door: 'admin',
      permission: 'UPDATE_ADDON',
      params: ofAddon,
      body: updateIntegration.input.omit({ id: true }),
      answer: { status: 200, schema: integrationSchema },
      errors: updateIntegration.errors,
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: await bus.request(updateIntegration, { ...body, id: idOf(params.id, noun) }, context),
      }),
    }),
    route({
      method: 'delete',
      path: '/api/admin/addons/:id',
      operationId: 'deleteAddon',
      summary: deleteIntegration.summary,
      tag,
      door: 'admin',
      permission: 'DELETE_ADDON',
      params: ofAddon,
      answer: { status: 200 },
      errors: deleteIntegration.errors,
      async handle({ params, context }) {
        await bus.request(deleteIntegration, { id: idOf(params.id, noun) }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/addons/:id/events',
      operationId: 'getIntegrationEvents',
      summary: listIntegrationEvents.summary,
      tag,
      door: 'admin',
      permission: 'ADMIN',
      params: ofAddon,
      query: pageQuery,
      answer: { status: 200, schema: z.object({ integrationEvents: z.array(integrationEventSchema) }) },
      errors: listIntegrationEvents.errors,
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
