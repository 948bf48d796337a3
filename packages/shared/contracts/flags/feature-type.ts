import { z } from 'zod';

/** A flag type. `lifetimeDays` is how long its flags are expected to live; null means permanently. */
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
