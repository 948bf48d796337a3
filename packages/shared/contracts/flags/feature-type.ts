import { z } from 'zod';
import { request } from '../contract.ts';

/** A flag type. `lifetimeDays` is how long its flags are expected to live; null means permanently. */
export const featureTypeSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    lifetimeDays: z.number().int().min(0).nullable(),
  })
  .meta({
    id: 'featureTypeSchema',
    examples: [{ id: 'release', name: 'Release', description: 'Enables trunk-based development.', lifetimeDays: 40 }],
  });

export type FeatureType = z.infer<typeof featureTypeSchema>;

export const updateFeatureTypeLifetime = request({
  name: 'flags.feature-type.update-lifetime',
  writes: true,
  summary: 'Changes how long flags of a type are expected to live; 0 and null are permanently',
  input: z
    .object({ id: z.string(), lifetimeDays: z.number().int().min(0).max(2_147_483_647).nullable() })
    .meta({ examples: [{ lifetimeDays: 7 }] }),
  output: featureTypeSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});
