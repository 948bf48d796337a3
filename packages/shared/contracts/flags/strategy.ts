import { z } from 'zod';
import { wholeRecord } from '../whole-record.ts';
import { constraintSchema, newConstraintSchema } from './constraint.ts';
import { recordKey } from './record-key.ts';

const name = z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters');

// The event of a change has the text twice, and an event has at most 1,000,000 bytes.
const longText = z.string().max(450_000, 'should have at most 450000 characters');

export const payloadSchema = z.object({ type: z.enum(['json', 'csv', 'string', 'number']), value: longText });

export const strategyVariantSchema = z
  .object({
    name,
    weight: z.number().int().min(0).max(1000),
    weightType: z.enum(['variable', 'fix']),
    stickiness: z.string().max(100, 'should have at most 100 characters'),
    payload: payloadSchema.optional(),
  })
  .meta({ id: 'strategyVariantSchema' });

/** A variant of a flag, for all environments or for one. */
export const variantSchema = z
  .object({
    name: z.string().min(1, 'should not be empty'),
    weight: z.number().min(0).max(1000),
    weightType: z.enum(['variable', 'fix']).optional(),
    stickiness: z.string().optional(),
    payload: payloadSchema.optional(),
    overrides: z.array(z.object({ contextName: z.string(), values: z.array(z.string()) })).optional(),
  })
  .meta({ id: 'variantSchema' });

export type Variant = z.infer<typeof variantSchema>;

/** Stored parameters are strings. As in the public product, scripts may send numbers and booleans. */
const parametersSchema = wholeRecord(name, z.union([longText, z.number(), z.boolean()]).transform(String));

/** A strategy of an import. Older exports may have further properties. */
export const strategySettingsSchema = z.object({
  name,
  title: z.string().nullable().default(null),
  disabled: z.boolean().nullable().default(false),
  sortOrder: z.number().int().optional(),
  segments: z.array(z.number().int()).max(1000, 'should have at most 1000 items').default([]),
  constraints: z.array(constraintSchema).default([]),
  variants: z.array(strategyVariantSchema).default([]),
  parameters: parametersSchema.default({}),
});

const newStrategyVariantSchema = z.strictObject({
  ...strategyVariantSchema.shape,
  // A key of the counts that SDKs report.
  name: name.refine(...recordKey),
  payload: z.strictObject(payloadSchema.shape).optional(),
});

/** A strategy as it is sent. As in the public product, unknown properties of constraints and variants are refused. */
export const newStrategySchema = strategySettingsSchema
  .extend({
    constraints: z.array(newConstraintSchema).default([]),
    variants: z.array(newStrategyVariantSchema).default([]),
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
    id: 'featureStrategySchema',
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
