import { z } from 'zod';
import { request } from '../contract.ts';

/** interface.md, Feature type. */
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
