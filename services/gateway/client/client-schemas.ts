import { clientFeatureSchema, constraintSchema } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';

const clientSegmentSchema = z
  .object({ id: z.number().int(), name: z.string(), constraints: z.array(constraintSchema) })
  .meta({ examples: [{ id: 1, name: 'beta testers', constraints: [] }] });

/** The body of GET /api/client/features. */
export const listingSchema = z.object({
  version: z.literal(2),
  features: z.array(clientFeatureSchema),
  /** With `Unleash-Client-Spec` 4.2.0 or later: the segments that the flags have. Else they are constraints. */
  segments: z.array(clientSegmentSchema).optional(),
  query: z
    .object({
      project: z.array(z.string()),
      environment: z.string(),
      namePrefix: z.string().optional(),
      tag: z.array(z.tuple([z.string(), z.string()])).optional(),
      inlineSegmentConstraints: z.boolean(),
    })
    .meta({ examples: [{ project: ['*'], environment: 'development', inlineSegmentConstraints: true }] }),
  meta: z
    .object({ revisionId: z.number().int(), etag: z.string(), queryHash: z.string() })
    .meta({ examples: [{ revisionId: 12, etag: '"5e3a9c01:12:8f14e45f"', queryHash: '5e3a9c01' }] }),
});
