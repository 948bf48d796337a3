import { z } from 'zod';
import { request } from '../contract.ts';

/** A type of flag with the days for which its flags are expected to live; null is without end. */
export const featureTypeSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    lifetimeDays: z.number().int().min(0).nullable(),
  })
  .meta({
    examples: [{ id: 'release', name: 'Release', description: 'Enables trunk-based development.', lifetimeDays: 40 }],
  });

export type FeatureType = z.infer<typeof featureTypeSchema>;

export const listFeatureTypes = request({
  name: 'flags.feature-type.list',
  summary: 'The flag types with their lifetimes',
  input: z.object({}),
  output: z.object({ types: z.array(featureTypeSchema) }),
  permission: 'authenticated',
});
