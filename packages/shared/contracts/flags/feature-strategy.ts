import { z } from 'zod';
import { request } from '../contract.ts';
import { expectedVersionsSchema, patchOperationSchema } from './feature.ts';
import { newStrategySchema, strategySchema } from './strategy.ts';

const place = { projectId: z.string(), featureName: z.string(), environment: z.string() };
const one = { ...place, strategyId: z.string() };

export const addStrategy = request({
  name: 'flags.strategy.add',
  writes: true,
  summary: 'Adds an activation strategy to a flag in an environment',
  input: z.object({ ...place, strategy: newStrategySchema }),
  output: strategySchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_FEATURE_STRATEGY',
});

export const listStrategies = request({
  name: 'flags.strategy.list',
  writes: false,
  summary: 'The strategies of a flag in an environment, in their order',
  input: z.object(place),
  output: z.object({ strategies: z.array(strategySchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const getStrategy = request({
  name: 'flags.strategy.get',
  writes: false,
  summary: 'One strategy of a flag in an environment',
  input: z.object(one),
  output: strategySchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

/** Absent lists and parameters become empty; other absent properties stay as they are. */
export const strategyUpdateSchema = newStrategySchema
  .partial({ name: true })
  .extend({
    title: newStrategySchema.shape.title.unwrap().optional(),
    disabled: newStrategySchema.shape.disabled.unwrap().optional(),
    segments: newStrategySchema.shape.segments.unwrap().optional(),
  })
  .meta({ examples: [{ title: 'Half of all', parameters: { rollout: '50', stickiness: 'default', groupId: 'a' } }] });

export const updateStrategy = request({
  name: 'flags.strategy.update',
  writes: true,
  summary:
    'Replaces constraints, variants and parameters of a strategy; other properties stay as they are when they are absent',
  input: z.object({ ...one, strategy: strategyUpdateSchema }),
  output: strategySchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_STRATEGY',
});

export const patchStrategy = request({
  name: 'flags.strategy.patch',
  writes: true,
  summary: 'Changes a strategy by a JSON Patch, atomically',
  // As many as for a flag.
  input: z.object({ ...one, operations: z.array(patchOperationSchema).max(100) }),
  output: strategySchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_STRATEGY',
});

export const deleteStrategy = request({
  name: 'flags.strategy.delete',
  writes: true,
  summary: 'Removes a strategy from a flag in an environment; the flag is switched off there if no enabled one is left',
  input: z.object({
    ...one,
    /** It is removed from these versions of the flag only; absent for any. */
    expectedVersions: expectedVersionsSchema,
  }),
  output: z.object({}),
  errors: ['not-found', 'precondition-failed'],
  permission: 'DELETE_FEATURE_STRATEGY',
});

export const setStrategyOrder = request({
  name: 'flags.strategy.set-order',
  writes: true,
  summary: 'Sets the sort order of strategies of a flag in an environment',
  input: z.object({
    ...place,
    order: z
      .array(
        z.strictObject({ id: z.string().max(100, 'should have at most 100 characters'), sortOrder: z.number().int() }),
      )
      .max(1000, 'should have at most 1000 items')
      .meta({ examples: [[{ id: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11', sortOrder: 1 }]] }),
  }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: 'UPDATE_FEATURE_STRATEGY',
});

const ofStrategy = [
  {
    ...{ projectId: 'default', strategyId: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11' },
    ...{ environmentId: 'production', segmentIds: [1, 2] },
  },
];

/** The use case checks UPDATE_FEATURE_STRATEGY in the project and environment of the body. */
export const setStrategySegments = request({
  name: 'flags.strategy.set-segments',
  writes: true,
  summary: 'Sets the segments of a strategy',
  input: z
    .object({
      projectId: z.string().max(100, 'should have at most 100 characters'),
      strategyId: z.string().max(100, 'should have at most 100 characters'),
      environmentId: z.string().max(100, 'should have at most 100 characters'),
      segmentIds: z.array(z.number().int()).max(1000, 'should have at most 1000 items'),
    })
    .meta({ examples: ofStrategy }),
  output: z
    .object({
      ...{ projectId: z.string(), strategyId: z.string(), environmentId: z.string() },
      segmentIds: z.array(z.number().int()).max(1000),
    })
    .meta({ examples: ofStrategy }),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'authenticated',
});

/** Where a strategy is that uses a context field. */
export const strategyPlaceSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    featureName: z.string(),
    strategyName: z.string(),
    environment: z.string(),
  })
  .meta({
    examples: [
      {
        id: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11',
        projectId: 'default',
        featureName: 'checkout',
        strategyName: 'flexibleRollout',
        environment: 'production',
      },
    ],
  });

export type StrategyPlace = z.infer<typeof strategyPlaceSchema>;

export const listStrategiesByContextField = request({
  name: 'flags.strategy.list-by-context-field',
  writes: false,
  summary: 'The strategies with a constraint on a context field, in all projects or in one; none for an unknown field',
  input: z.object({ contextField: z.string(), projectId: z.string().optional() }),
  output: z.object({ strategies: z.array(strategyPlaceSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});
