import type { Bus } from '@yardarm/shared/bus';
import { featureTypeSchema, updateFeatureTypeLifetime } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { ofContract, type Route, route } from '../routing/route.ts';
import type { Snapshots } from './snapshots/snapshots.ts';

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

const newLifetimeSchema = updateFeatureTypeLifetime.input
  .pick({ lifetimeDays: true })
  .meta({ examples: [{ lifetimeDays: 7 }] });

/** The types are read from the gateway's own copy, which the gateway that changes one renews before it answers. */
export function featureTypeRoutes(bus: Bus, snapshots: Snapshots): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/feature-types',
      operationId: 'getAllFeatureTypes',
      answerName: 'featureTypesSchema',
      summary: 'The flag types with their lifetimes',
      tag: 'Feature types',
      audience: 'admin',
      answer: { status: 200, schema: z.object({ version: z.literal(1), types: z.array(featureTypeSchema) }) },
      errors: ['unavailable'],
      isHot: true,
      handle() {
        const body = snapshots.featureTypes();
        if (body) return { status: 200, headers, body };
        throw new AppError('unavailable', 'The feature types are not loaded yet: flags has not answered.', {
          retryAfterSeconds: 1,
        });
      },
    }),
    route({
      method: 'put',
      path: '/api/admin/feature-types/:id/lifetime',
      operationId: 'updateFeatureTypeLifetime',
      ...ofContract(updateFeatureTypeLifetime),
      tag: 'Feature types',
      audience: 'admin',
      params: z.object({ id: z.string() }),
      body: newLifetimeSchema,
      answer: { status: 200, schema: featureTypeSchema },
      async handle({ params, body, context }) {
        const changed = await bus.request(updateFeatureTypeLifetime, { ...params, ...body }, context);
        await snapshots.refreshFeatureTypes();
        return { status: 200, body: changed };
      },
    }),
  ];
}
