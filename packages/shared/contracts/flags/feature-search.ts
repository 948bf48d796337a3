import { z } from 'zod';
import { request } from '../contract.ts';
import { daySchema } from '../day.ts';
import { constraintSchema } from './constraint.ts';
import { featureSchema } from './feature.ts';
import { lifecycleStages } from './lifecycle.ts';
import { coloredTagSchema } from './tag.ts';

const timestamp = z.iso.datetime();

/** The first strategies of a flag in an environment, cut so that a list of flags can say in words whom it is on for. */
const targetingSummarySchema = z
  .object({
    strategyCount: z.number().int(),
    /** The first three that are not disabled. */
    strategies: z.array(
      z.object({
        name: z.string(),
        title: z.string().nullable(),
        /** Of a gradual strategy, in percent. */
        rollout: z.string().nullable(),
        segmentCount: z.number().int(),
        constraintCount: z.number().int(),
        /** The first two. */
        constraints: z.array(
          constraintSchema.pick({ contextName: true, operator: true, inverted: true }).extend({
            valueCount: z.number().int(),
            /** The first three, each cut to 50 characters. */
            values: z.array(z.string()),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'targetingSummarySchema' });

export const foundFeatureEnvironmentSchema = z
  .object({
    name: z.string(),
    type: z.string(),
    enabled: z.boolean(),
    sortOrder: z.number(),
    variantCount: z.number(),
    lastSeenAt: timestamp.nullable(),
    hasStrategies: z.boolean(),
    hasEnabledStrategies: z.boolean(),
    /** Counts of evaluations in the last hour, over all applications. */
    yes: z.number().int(),
    no: z.number().int(),
    changeRequestIds: z.array(z.number()),
    /** With `targeting` alone. */
    targeting: targetingSummarySchema.optional(),
  })
  .meta({ id: 'featureSearchEnvironmentSchema' });

/** A flag as a search shows it, without strategies and variants. */
export const foundFeatureSchema = featureSchema
  .pick({
    ...{ name: true, type: true, description: true, project: true, stale: true, favorite: true },
    ...{ impressionData: true, createdAt: true, archivedAt: true, createdBy: true },
  })
  .extend({
    dependencyType: z.enum(['parent', 'child']).nullable(),
    environments: z.array(foundFeatureEnvironmentSchema),
    /** The names of the segments of its strategies. */
    segments: z.array(z.string()),
    tags: z.array(coloredTagSchema).nullable(),
    lifecycle: z.object({
      stage: z.enum(lifecycleStages),
      status: z.string().nullable().optional(),
      enteredStageAt: timestamp,
    }),
  })
  .meta({
    id: 'featureSearchResponseSchema',
    examples: [
      {
        ...{ name: 'checkout', type: 'release', description: 'The new checkout.', project: 'default', stale: false },
        ...{ favorite: false, impressionData: false, createdAt: '2026-01-31T12:00:00.000Z', archivedAt: null },
        createdBy: { id: 12, name: 'Ann Bonny', imageUrl: 'https://gravatar.com/avatar/71d4?s=42&d=retro&r=g' },
        dependencyType: null,
        environments: [
          {
            ...{ name: 'production', type: 'production', enabled: true, sortOrder: 1, variantCount: 0 },
            ...{ lastSeenAt: null, hasStrategies: true, hasEnabledStrategies: true, yes: 974, no: 50 },
            changeRequestIds: [],
          },
        ],
        segments: ['beta-users'],
        tags: [{ type: 'simple', value: 'payments', color: null }],
        lifecycle: { stage: 'live', enteredStageAt: '2026-02-01T12:00:00.000Z' },
      },
    ],
  });

export type FoundFeature = z.infer<typeof foundFeatureSchema>;

/** The flags that have one of the values, or with `isNegated` those that have none. */
const oneOf = z.object({ isNegated: z.boolean(), values: z.array(z.string().max(1000)).max(1000) });

/** The flags that have some or all of the values, or with `isNegated` the others. */
function anyOrAll<Value extends z.ZodType>(value: Value) {
  return z.object({ isNegated: z.boolean(), match: z.enum(['any', 'all']), values: z.array(value).max(1000) });
}

const day = z.object({ operator: z.enum(['before', 'on-or-after']), day: daySchema });

export const searchFeatures = request({
  name: 'flags.feature.search',
  writes: false,
  summary: 'A page of the flags of all projects that match every filter, with the exact number of all of them',
  input: z.object({
    /** A flag matches when its name, description or a tag contains one of the texts, in any case. */
    texts: z.array(z.string().max(1000)).max(100).optional(),
    project: oneOf.optional(),
    type: oneOf.optional(),
    /** `active` is not stale; `potentially-stale` is due to become stale. */
    state: oneOf.optional(),
    lifecycle: oneOf.optional(),
    /** The ids of users, one of whom created the flag. */
    createdBy: oneOf.optional(),
    tag: anyOrAll(z.object({ type: z.string(), value: z.string() })).optional(),
    segment: anyOrAll(z.string()).optional(),
    /** A flag matches in one of the environments. */
    status: z
      .array(z.object({ environment: z.string(), enabled: z.boolean() }))
      .max(1000)
      .optional(),
    /** Without it archived flags are found only by their stage. */
    archived: z.boolean().optional(),
    favorite: z.boolean().optional(),
    createdAt: day.optional(),
    lastSeenAt: day.optional(),
    sortBy: z.enum(['name', 'type', 'project', 'createdAt', 'lastSeenAt', 'stale', 'environment']).default('createdAt'),
    /** The environment whose switch `sortBy` environment compares. */
    sortEnvironment: z.string().max(100).optional(),
    sortOrder: z.enum(['asc', 'desc']).default('asc'),
    favoritesFirst: z.boolean().default(false),
    /** Whether the environments have `targeting`. */
    targeting: z.boolean().default(false),
    offset: z.number().int().min(0).max(1_000_000_000).default(0),
    limit: z.number().int().min(1).max(1000).default(50),
  }),
  output: z.object({
    features: z.array(foundFeatureSchema),
    total: z
      .number()
      .int()
      .meta({ examples: [1] }),
  }),
  errors: ['bad-data'],
  permission: 'authenticated',
});

export type FeatureSearch = z.output<typeof searchFeatures.input>;
