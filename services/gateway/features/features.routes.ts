import type { Bus } from '@yardarm/shared/bus';
import {
  addStrategy,
  createFeature,
  featureSchema,
  getFeature,
  listFeatures,
  patchFeature,
  strategySchema,
  switchEnvironment,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf } from '../http/wire.ts';

const ofProject = z.object({ projectId: z.string() });
const ofFeature = ofProject.extend({ featureName: z.string() });
const ofEnvironment = ofFeature.extend({ environment: z.string() });
const tag = 'Features';

/** Flags as administrators see and change them. */
export function featureRoutes(bus: Bus): Route[] {
  const switchTo = (enabled: boolean): Route =>
    route({
      method: 'post',
      path: `/api/admin/projects/:projectId/features/:featureName/environments/:environment/${enabled ? 'on' : 'off'}`,
      operationId: enabled ? 'toggleFeatureEnvironmentOn' : 'toggleFeatureEnvironmentOff',
      summary: `Switches a flag ${enabled ? 'on' : 'off'} in an environment`,
      tag,
      door: 'admin',
      permission: 'UPDATE_FEATURE_ENVIRONMENT',
      params: ofEnvironment,
      answer: { status: 200, schema: featureSchema },
      errors: switchEnvironment.errors,
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(switchEnvironment, { ...params, enabled }, context),
      }),
    });

  return [
    route({
      method: 'post',
      path: '/api/admin/projects/:projectId/features',
      operationId: 'createFeature',
      ...ofContract(createFeature),
      tag,
      door: 'admin',
      params: ofProject,
      body: createFeature.input.omit({ projectId: true }),
      answer: { status: 200, schema: featureSchema },
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: await bus.request(createFeature, { ...body, ...params }, context),
      }),
    }),
    route({
      method: 'get',
      path: '/api/admin/projects/:projectId/features',
      operationId: 'getFeatures',
      summary: 'The flags of a project that are not archived',
      tag,
      door: 'admin',
      params: ofProject,
      answer: { status: 200, schema: z.object({ version: z.literal(1), features: z.array(featureSchema) }) },
      errors: listFeatures.errors,
      async handle({ params, context }) {
        const features = await allOf(bus.requestMany(listFeatures, params, context), (piece) => piece.features);
        return { status: 200, body: { version: 1, features } };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/projects/:projectId/features/:featureName',
      operationId: 'getFeature',
      ...ofContract(getFeature),
      tag,
      door: 'admin',
      params: ofFeature,
      answer: { status: 200, schema: featureSchema },
      handle: async ({ params, context }) => ({ status: 200, body: await bus.request(getFeature, params, context) }),
    }),
    route({
      method: 'patch',
      path: '/api/admin/projects/:projectId/features/:featureName',
      operationId: 'patchFeature',
      ...ofContract(patchFeature),
      tag,
      door: 'admin',
      params: ofFeature,
      body: patchFeature.input.shape.operations,
      answer: { status: 200, schema: featureSchema },
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: await bus.request(patchFeature, { ...params, operations: body }, context),
      }),
    }),
    route({
      method: 'post',
      path: '/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies',
      operationId: 'addFeatureStrategy',
      ...ofContract(addStrategy),
      tag,
      door: 'admin',
      params: ofEnvironment,
      body: addStrategy.input.shape.strategy,
      answer: { status: 200, schema: strategySchema },
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: await bus.request(addStrategy, { ...params, strategy: body }, context),
      }),
    }),
    switchTo(true),
    switchTo(false),
  ];
}
