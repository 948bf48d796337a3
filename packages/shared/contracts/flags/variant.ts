import { z } from 'zod';
import { request } from '../contract.ts';
import { patchOperationSchema } from './feature.ts';
import { recordKey } from './record-key.ts';
import { variantSchema } from './strategy.ts';

// A name is a key of the counts that SDKs report.
const name = z
  .string()
  .min(1, 'should not be empty')
  .max(100, 'should have at most 100 characters')
  .refine(...recordKey);

/** A variant as it is sent. The weight of a variable variant is computed. */
export const newVariantSchema = variantSchema
  .extend({
    name,
    weight: z.number().int().min(0).max(1000),
    weightType: z.enum(['variable', 'fix']).default('variable'),
    stickiness: z.string().max(100, 'should have at most 100 characters').default('default'),
  })
  .meta({ examples: [{ name: 'blue', weight: 500, payload: { type: 'string', value: '#0000ff' } }] });

export type NewVariant = z.infer<typeof newVariantSchema>;

const ofFeature = { projectId: z.string(), featureName: z.string() };
const ofEnvironment = { ...ofFeature, environment: z.string() };
const variants = z.array(newVariantSchema);
const variantsSchema = z.object({ variants: z.array(variantSchema) }).meta({
  examples: [{ variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }] }],
});

export const listVariants = request({
  name: 'flags.variant.list',
  writes: false,
  summary: 'The variants of a flag in an environment',
  input: z.object(ofEnvironment),
  output: variantsSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const replaceVariants = request({
  name: 'flags.variant.replace',
  writes: true,
  summary: 'Gives a flag in an environment other variants, whose weights are normalized to sum to 1000',
  input: z.object({ ...ofEnvironment, variants }),
  output: variantsSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
});

export const patchVariants = request({
  name: 'flags.variant.patch',
  writes: true,
  summary: 'Changes the list of variants of a flag in an environment by a JSON Patch, atomically',
  input: z.object({
    ...ofEnvironment,
    // A hundred operations are more than a person changes at once.
    operations: z.array(patchOperationSchema).max(100),
  }),
  output: variantsSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
});

/** The use case checks UPDATE_FEATURE_ENVIRONMENT_VARIANTS in each environment. */
export const replaceVariantsInEnvironments = request({
  name: 'flags.variant.replace-in-environments',
  writes: true,
  summary: 'Gives a flag the same variants in several environments, in all of them or in none',
  input: z.object({
    ...ofFeature,
    variants: variants.default([]),
    environments: z
      .array(name.meta({ examples: ['production'] }))
      .min(1, 'should have at least one item')
      .max(1000, 'should have at most 1000 items'),
  }),
  output: variantsSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'authenticated',
});
