import { z } from 'zod';
import { hint, request } from '../contract.ts';
import { constraintSchema } from './constraint.ts';
import { featureTypeSchema } from './feature-type.ts';
import { payloadSchema, strategyVariantSchema, variantSchema } from './strategy.ts';

/** A strategy of the client API. Only enabled strategies are served, with only the fields that evaluation needs. */
export const clientStrategySchema = z.object({
  name: z.string(),
  title: z.string().nullable().optional(),
  parameters: z.record(z.string(), z.string()),
  constraints: z.array(constraintSchema),
  segments: z.array(z.number()).optional(),
  variants: z.array(strategyVariantSchema),
});

/** A flag of the client API. `enabled` is its state in the environment. */
export const clientFeatureSchema = z
  .object({
    name: z.string(),
    type: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    stale: z.boolean(),
    impressionData: z.boolean(),
    project: z.string(),
    strategies: z.array(clientStrategySchema),
    variants: z.array(variantSchema.extend({ payload: payloadSchema.optional() })),
    dependencies: z.array(
      z.object({ feature: z.string(), enabled: z.boolean(), variants: z.array(z.string()).optional() }),
    ),
  })
  .meta({
    id: 'clientFeatureSchema',
    examples: [
      {
        name: 'checkout',
        type: 'release',
        description: 'The new checkout.',
        enabled: true,
        stale: false,
        impressionData: false,
        project: 'default',
        strategies: [
          {
            name: 'flexibleRollout',
            parameters: { rollout: '50', stickiness: 'default', groupId: 'checkout' },
            constraints: [],
            variants: [],
          },
        ],
        variants: [],
        dependencies: [],
      },
    ],
  });

export type ClientFeature = z.infer<typeof clientFeatureSchema>;

/**
 * A flag with what selects it: its tags and the revision of its last change in the environment. SDKs get neither. A
 * strategy has the ids of its segments.
 */
export const changedFeatureSchema = z.object({
  feature: clientFeatureSchema,
  tags: z.array(z.object({ type: z.string(), value: z.string() })),
  revision: z.number().int(),
});

export type ChangedFeature = z.infer<typeof changedFeatureSchema>;

export const changedSegmentSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  constraints: z.array(constraintSchema),
  project: z.string(),
  revision: z.number().int(),
});

export type ChangedSegment = z.infer<typeof changedSegmentSchema>;

/**
 * Revisions of one environment, by project. A revision is a counter of the (environment, project) row. Each transaction
 * that changes what SDKs see increases it by one. It never decreases within one epoch of the database.
 */
export const revisionsSchema = z.record(z.string(), z.number().int().min(0));

export const listRevisions = request({
  name: 'flags.snapshot.revisions',
  writes: false,
  summary:
    'The revision of every environment and project with the epoch of the database, as the poll behind the revision hint; also the flag types',
  input: z.object({}),
  output: z.object({
    epoch: z.string(),
    environments: z.record(z.string(), revisionsSchema),
    featureTypes: z.array(featureTypeSchema),
  }),
  permission: 'internal',
});

export const fetchSnapshot = request({
  name: 'flags.snapshot.fetch',
  writes: false,
  summary:
    'The changed flags and removed names of an environment since the known revisions, in one consistent read. Returns all flags when no revisions, or those of another epoch, are known',
  input: z.object({
    environment: z.string(),
    known: z.object({ epoch: z.string(), revisions: revisionsSchema }).nullable(),
  }),
  output: z.object({
    epoch: z.string(),
    revisions: revisionsSchema,
    /** Whether the answer is the whole environment instead of the changes. */
    isWhole: z.boolean(),
    changed: z.array(changedFeatureSchema),
    removed: z.array(z.object({ name: z.string(), project: z.string() })),
    /** The segments in use by a project that are new, changed or newly used there. */
    changedSegments: z.array(changedSegmentSchema),
    removedSegments: z.array(z.object({ id: z.number().int(), project: z.string() })),
  }),
  errors: ['not-found'],
  permission: 'internal',
});

export const revisionHint = hint({
  name: 'flags.revision',
  summary: 'A project has a new revision in an environment',
  payload: z.object({ environment: z.string(), project: z.string(), revision: z.number().int() }),
});
