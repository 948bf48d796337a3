import { clientFeatureSchema, constraintSchema } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';

const clientSegmentSchema = z
  .object({ id: z.number().int(), name: z.string(), constraints: z.array(constraintSchema) })
  .meta({ examples: [{ id: 1, name: 'beta testers', constraints: [] }] });

export const listingSchema = z.object({
  version: z.literal(2),
  features: z.array(clientFeatureSchema),
  /** With `Unleash-Client-Spec` 4.2.2 or later: the segments that the flags have. Else they are constraints. */
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

const eventId = z
  .number()
  .int()
  .meta({ examples: [12] });

const hydrationSchema = z.object({
  type: z.literal('hydration'),
  eventId,
  features: z.array(clientFeatureSchema),
  segments: z.array(clientSegmentSchema),
});
const featureUpdatedSchema = z.object({ type: z.literal('feature-updated'), eventId, feature: clientFeatureSchema });
const featureRemovedSchema = z.object({
  ...{ type: z.literal('feature-removed'), eventId, featureName: z.string(), project: z.string() },
});
const segmentUpdatedSchema = z.object({ type: z.literal('segment-updated'), eventId, segment: clientSegmentSchema });
const segmentRemovedSchema = z.object({ type: z.literal('segment-removed'), eventId, segmentId: z.number().int() });

/** The body of GET /api/client/delta, and the data of streamed events. */
export const deltaSchema = z
  .object({
    events: z.array(
      z.discriminatedUnion('type', [
        hydrationSchema,
        featureUpdatedSchema,
        featureRemovedSchema,
        segmentUpdatedSchema,
        segmentRemovedSchema,
      ]),
    ),
  })
  .meta({
    examples: [{ events: [{ type: 'feature-removed', eventId: 12, featureName: 'checkout', project: 'default' }] }],
  });
