import { z } from 'zod';

export const constraintOperators = [
  'NOT_IN',
  'IN',
  'STR_ENDS_WITH',
  'STR_STARTS_WITH',
  'STR_CONTAINS',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_AFTER',
  'DATE_BEFORE',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_LT',
] as const;

export const constraintSchema = z.object({
  contextName: z.string().min(1, 'should not be empty'),
  operator: z.enum(constraintOperators),
  caseInsensitive: z.boolean().default(false),
  inverted: z.boolean().default(false),
  values: z.array(z.string()).optional(),
  value: z.string().optional(),
});

export type Constraint = z.infer<typeof constraintSchema>;

export const payloadSchema = z.object({ type: z.enum(['json', 'csv', 'string', 'number']), value: z.string() });

export const strategyVariantSchema = z.object({
  name: z.string().min(1, 'should not be empty'),
  weight: z.number().int().min(0).max(1000),
  weightType: z.enum(['variable', 'fix']),
  stickiness: z.string(),
  payload: payloadSchema.optional(),
});

/** A variant of a flag, for all environments or for one. */
export const variantSchema = z.object({
  name: z.string().min(1, 'should not be empty'),
  weight: z.number().min(0).max(1000),
  weightType: z.enum(['variable', 'fix']).optional(),
  stickiness: z.string().optional(),
  payload: payloadSchema.optional(),
  overrides: z.array(z.object({ contextName: z.string(), values: z.array(z.string()) })).optional(),
});

export type Variant = z.infer<typeof variantSchema>;

/** Stored parameters are strings. As in the public product, scripts may send numbers and booleans. */
const parametersSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

export const newStrategySchema = z
  .object({
    name: z.string().min(1, 'should not be empty'),
    title: z.string().nullable().default(null),
    disabled: z.boolean().nullable().default(false),
    sortOrder: z.number().int().optional(),
    segments: z.array(z.number().int()).default([]),
    constraints: z.array(constraintSchema).default([]),
    variants: z.array(strategyVariantSchema).default([]),
    parameters: parametersSchema.default({}),
  })
  .meta({
    examples: [
      {
        name: 'flexibleRollout',
        constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
        parameters: { rollout: '50', stickiness: 'default', groupId: 'checkout' },
      },
    ],
  });

export type NewStrategy = z.infer<typeof newStrategySchema>;

export const strategySchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    title: z.string().nullable(),
    disabled: z.boolean(),
    featureName: z.string(),
    sortOrder: z.number(),
    segments: z.array(z.number()),
    constraints: z.array(constraintSchema),
    variants: z.array(strategyVariantSchema),
    parameters: z.record(z.string(), z.string()),
  })
  .meta({
    examples: [
      {
        id: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11',
        name: 'flexibleRollout',
        title: null,
        disabled: false,
        featureName: 'checkout',
        sortOrder: 0,
        segments: [],
        constraints: [],
        variants: [],
        parameters: { rollout: '50', stickiness: 'default', groupId: 'checkout' },
      },
    ],
  });

export type Strategy = z.infer<typeof strategySchema>;
