import type { Bus } from '@yardarm/shared/bus';
import {
  countRedeliverable,
  createIntegration,
  deleteIntegration,
  getIntegration,
  listDeliveryAttempts,
  listIntegrationEvents,
  listIntegrationStates,
  listIntegrations,
  redeliverEvent,
  redeliverRange,
  redeliveryRangeSchema,
  testIntegration,
  updateIntegration,
} from '@yardarm/shared/contracts/integrations';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';
import { pageQuery, wholeNumber } from '../routing/wire.ts';

const path = '/api/admin/addons';

/** The offset has no limit: beyond the oldest event the list is empty. */
const offset = z
  .string()
  .regex(/^\d+$/, 'should be a whole number from 0 up')
  .transform(Number)
  .refine(Number.isSafeInteger, `should be at most ${Number.MAX_SAFE_INTEGER}`);
const outcomesQuery = pageQuery.extend({ offset: offset.default(0) });

const eventId = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const rangeQuery = z
  .object({
    from: eventId.meta({ description: 'The id of the first event' }),
    to: eventId.meta({ description: 'The id of the last event' }),
    onlyFailed: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true')
      .meta({ description: 'Leaves out deliveries that succeeded' }),
  })
  .refine(({ from, to }) => from <= to, { path: ['to'], error: 'should not be below from' });

/** Integrations, which the public API calls addons. */
export function addonRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag: 'Addons',
    params: { id: { field: 'integrationId', noun: 'addon' }, eventId: { field: 'integrationEventId' } },
  });
  return [
    admin.get('/api/admin/addon-states', 'getAddonStates', listIntegrationStates),
    admin.get(path, 'getAddons', listIntegrations, { answerName: 'addonsSchema' }),
    admin.post(path, 'createAddon', createIntegration, { creates: 'addon' }),
    admin.get(`${path}/:id`, 'getAddon', getIntegration),
    admin.put(`${path}/:id`, 'updateAddon', updateIntegration),
    admin.delete(`${path}/:id`, 'deleteAddon', deleteIntegration),
    admin.get(`${path}/:id/events`, 'getIntegrationEvents', listIntegrationEvents, {
      answerName: 'integrationEventsSchema',
      query: outcomesQuery,
    }),
    admin.get(`${path}/:id/events/:eventId/attempts`, 'getIntegrationEventAttempts', listDeliveryAttempts),
    admin.post(`${path}/:id/events/:eventId/redeliver`, 'redeliverIntegrationEvent', redeliverEvent, { status: 202 }),
    admin.get(`${path}/:id/redeliverable`, 'countRedeliverableEvents', countRedeliverable, { query: rangeQuery }),
    admin.post(`${path}/:id/redeliver`, 'redeliverEvents', redeliverRange, {
      status: 202,
      body: redeliveryRangeSchema,
    }),
    admin.post(`${path}/:id/test`, 'testAddon', testIntegration),
  ];
}
