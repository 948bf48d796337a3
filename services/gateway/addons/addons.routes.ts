import type { Bus } from '@yardarm/shared/bus';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  integrationEventSchema,
  integrationSchema,
  listDeliveryAttempts,
  listIntegrationEvents,
  listIntegrations,
  redeliverEvent,
  redeliverRange,
  redeliveryRangeSchema,
  testIntegration,
  updateIntegration,
} from '@yardarm/shared/contracts/integrations';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf, pageQuery } from '../http/wire.ts';

const ofAddon = z.object({ id: z.string() });
const ofAddonEvent = z.object({ id: z.string(), eventId: z.string() });

/** There is no highest offset: beyond the oldest event the list is empty. */
const offset = z
  .string()
  .regex(/^\d+$/, 'should be a whole number from 0 up')
  .transform(Number)
  .refine(Number.isSafeInteger, `should be at most ${Number.MAX_SAFE_INTEGER}`);

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
      query: listIntegrations.input,
      answer: { status: 200, schema: listIntegrations.output },
      async handle({ query, context }) {
        const pieces = await allOf(bus.requestMany(listIntegrations, query, context), (piece) => [piece]);
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
      query: pageQuery.extend({ offset: offset.default(0) }),
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
    route({
      method: 'get',
      path: '/api/admin/addons/:id/events/:eventId/attempts',
      operationId: 'getIntegrationEventAttempts',
      ...ofContract(listDeliveryAttempts),
      tag,
      door: 'admin',
      params: ofAddonEvent,
      answer: { status: 200, schema: listDeliveryAttempts.output },
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(listDeliveryAttempts, ofIntegrationEvent(params), context),
      }),
    }),
    route({
      method: 'post',
      path: '/api/admin/addons/:id/events/:eventId/redeliver',
      operationId: 'redeliverIntegrationEvent',
      ...ofContract(redeliverEvent),
      tag,
      door: 'admin',
      params: ofAddonEvent,
      answer: { status: 202, schema: redeliverEvent.output },
      handle: async ({ params, context }) => ({
        status: 202,
        body: await bus.request(redeliverEvent, ofIntegrationEvent(params), context),
      }),
    }),
    route({
      method: 'post',
      path: '/api/admin/addons/:id/redeliver',
      operationId: 'redeliverEvents',
      ...ofContract(redeliverRange),
      tag,
      door: 'admin',
      params: ofAddon,
      body: redeliveryRangeSchema,
      answer: { status: 202, schema: redeliverRange.output },
      handle: async ({ params, body, context }) => ({
        status: 202,
        body: await bus.request(redeliverRange, { ...body, integrationId: idOf(params.id, noun) }, context),
      }),
    }),
    route({
      method: 'post',
      path: '/api/admin/addons/:id/test',
      operationId: 'testAddon',
      ...ofContract(testIntegration),
      tag,
      door: 'admin',
      params: ofAddon,
      answer: { status: 200, schema: testIntegration.output },
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(testIntegration, { id: idOf(params.id, noun) }, context),
      }),
    }),
  ];
}

function ofIntegrationEvent({ id, eventId }: z.infer<typeof ofAddonEvent>) {
  return { integrationId: idOf(id, noun), integrationEventId: eventId };
}
