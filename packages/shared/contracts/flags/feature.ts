import { z } from 'zod';
import { request } from '../contract.ts';
import type { Permission } from '../permissions.ts';
import { featureLinkSchema } from './feature-link.ts';
import { lifecycleStageSchema } from './lifecycle.ts';
import { strategySchema, variantSchema } from './strategy.ts';

const timestamp = z.iso.datetime();

export const maxFeatureNameLength = 100;

/** Flag names are part of URLs: characters that `encodeURIComponent` keeps. `.` and `..` would be path steps. */
export const featureNameSchema = z
  .string()
  .min(1, 'should not be empty')
  .max(maxFeatureNameLength)
  .regex(/^[a-zA-Z0-9_.!~*'()-]+$/, "should be URL friendly: letters, digits and -_.!~*'()")
  .refine((name) => name !== '.' && name !== '..', 'should be URL friendly: . and .. are path steps')
  .meta({ examples: ['checkout'] });

export const tagSchema = z
  .object({ type: z.string().min(2).max(50), value: z.string().min(2).max(50) })
  .meta({ id: 'tagSchema', examples: [{ type: 'simple', value: 'payments' }] });

/**
 * The properties of a tag as it is sent. As in the public product, an unknown one is refused. The color is that of the
 * type and is ignored, so that a tag can be sent as it was read.
 */
export const sentTag = { ...tagSchema.shape, color: z.string().nullish() };

export const newTagSchema = z
  .strictObject(sentTag)
  .transform(({ type, value }) => ({ type, value }))
  .meta({ examples: [{ type: 'simple', value: 'payments' }] });

const exampleEnvironment = {
  name: 'production',
  featureName: 'checkout',
  environment: 'production',
  type: 'production',
  enabled: true,
  sortOrder: 1,
  variantCount: 0,
  strategies: [],
  variants: [],
  lastSeenAt: null,
  hasStrategies: false,
  hasEnabledStrategies: false,
  yes: 120,
  no: 30,
};

export const featureEnvironmentSchema = z
  .object({
    name: z.string(),
    featureName: z.string(),
    environment: z.string(),
    type: z.string(),
    enabled: z.boolean(),
    sortOrder: z.number(),
    variantCount: z.number(),
    strategies: z.array(strategySchema),
    variants: z.array(variantSchema),
    lastSeenAt: timestamp.nullable(),
    hasStrategies: z.boolean(),
    hasEnabledStrategies: z.boolean(),
    /** How often the flag was on, and off, in the last hour. Only the read of one flag counts them. */
    yes: z.number().int().min(0).optional(),
    no: z.number().int().min(0).optional(),
  })
  .meta({ id: 'featureEnvironmentSchema', examples: [exampleEnvironment] });

const person = z.object({ id: z.number().int(), name: z.string(), imageUrl: z.string() });

/** The properties of a flag that a PATCH may change. A nullable property is null after a patch has removed it. */
export const changeableFeatureSchema = z.object({
  type: z.string(),
  description: z.string().nullable(),
  stale: z.boolean(),
  impressionData: z.boolean(),
  archived: z.boolean(),
});

/**
 * The permission that a patch needs for each path that it changes: that of the equivalent operation. Archiving and
 * reviving change one path, by its new value.
 */
export const permissionsOfPaths = {
  '/type': 'UPDATE_FEATURE',
  '/description': 'UPDATE_FEATURE',
  '/stale': 'UPDATE_FEATURE',
  '/impressionData': 'UPDATE_FEATURE',
  '/archived': { true: 'DELETE_FEATURE', false: 'UPDATE_FEATURE' },
} as const satisfies Record<
  `/${keyof typeof changeableFeatureSchema.shape}`,
  Permission | Record<'true' | 'false', Permission>
>;

/** The `data` and `preData` of a flag's events: the same properties as in the public product. */
export const featureEventDataSchema = z.object({
  name: z.string(),
  project: z.string(),
  ...changeableFeatureSchema.shape,
  createdAt: timestamp.nullable(),
  lastSeenAt: timestamp.nullable(),
  archivedAt: timestamp.nullable(),
});

export type FeatureEventData = z.infer<typeof featureEventDataSchema>;

/** A flag of the admin API, including the properties that the public product has deprecated. */
export const featureSchema = featureEventDataSchema
  .extend({
    enabled: z.boolean(),
    favorite: z.boolean(),
    createdBy: person,
    environments: z.array(featureEnvironmentSchema),
    variants: z.array(variantSchema),
    strategies: z.array(strategySchema),
    tags: z.array(tagSchema),
    children: z.array(z.string()),
    lifecycle: lifecycleStageSchema,
    dependencies: z.array(
      z.object({ feature: z.string(), enabled: z.boolean().optional(), variants: z.array(z.string()).optional() }),
    ),
    collaborators: z.object({ users: z.array(person) }),
    links: z.array(featureLinkSchema),
  })
  .meta({
    id: 'featureSchema',
    examples: [
      {
        name: 'checkout',
        type: 'release',
        description: 'The new checkout.',
        archived: false,
        project: 'default',
        enabled: true,
        stale: false,
        favorite: false,
        impressionData: false,
        createdAt: '2026-01-31T12:00:00.000Z',
        createdBy: { id: 12, name: 'Ann Bonny', imageUrl: 'https://gravatar.com/avatar/71d4?s=42&d=retro&r=g' },
        archivedAt: null,
        lastSeenAt: null,
        environments: [exampleEnvironment],
        variants: [],
        strategies: [],
        tags: [{ type: 'simple', value: 'payments' }],
        children: [],
        lifecycle: { stage: 'live', enteredStageAt: '2026-02-01T12:00:00.000Z' },
        dependencies: [],
        collaborators: { users: [] },
        links: [],
      },
    ],
  });

/** A flag with the number of its changes. HTTP has the number as ETag. */
/** The versions of a flag that a change expects: as many as a client may have seen lately. */
export const expectedVersionsSchema = z.array(z.number().int()).max(100).optional();

export const versionedFeatureSchema = featureSchema.extend({ version: z.number().int() });

export type Feature = z.infer<typeof featureSchema>;
export type VersionedFeature = z.infer<typeof versionedFeatureSchema>;
export type FeatureEnvironment = z.infer<typeof featureEnvironmentSchema>;

export const createFeature = request({
  name: 'flags.feature.create',
  writes: true,
  summary: 'Makes a flag in a project, off in every environment of the project',
  input: z.object({
    projectId: z.string(),
    name: featureNameSchema,
    type: z.string().default('release'),
    description: z.string().nullable().default(null),
    impressionData: z.boolean().default(false),
    tags: z.array(newTagSchema).default([]),
  }),
  output: versionedFeatureSchema,
  errors: ['not-found', 'name-exists', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_FEATURE',
});

export const getFeature = request({
  name: 'flags.feature.get',
  writes: false,
  summary: 'One flag of a project with its environments',
  input: z.object({ projectId: z.string(), featureName: z.string() }),
  output: versionedFeatureSchema,
  errors: ['not-found'],
  permission: 'authenticated',
  callers: ['gateway', 'signals'],
});

export const listFeatures = request({
  name: 'flags.feature.list',
  writes: false,
  summary: 'The flags of a project that are not archived',
  input: z.object({
    projectId: z.string(),
    namePrefix: z.string().max(100).optional(),
    /** Flags with one of these, each as type:value. */
    tag: z.array(z.string().max(101)).max(100).optional(),
  }),
  output: z.object({ features: z.array(featureSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});

/** The patch operations of the public product, and `test` of JSON Patch (RFC 6902). */
export const patchOperationSchema = z
  .object({
    path: z.string().max(1000),
    op: z.enum(['add', 'remove', 'replace', 'copy', 'move', 'test']),
    from: z.string().max(1000).optional(),
    value: z.unknown().optional(),
  })
  .meta({ examples: [{ op: 'replace', path: '/description', value: 'The new checkout.' }] });

export const patchFeature = request({
  name: 'flags.feature.patch',
  writes: true,
  summary: `Changes a flag (${Object.keys(changeableFeatureSchema.shape).join(', ')}) by a JSON Patch, atomically`,
  input: z.object({
    projectId: z.string(),
    featureName: z.string(),
    // The document has few properties: a hundred operations are already a mistake.
    operations: z.array(patchOperationSchema).max(100),
    /** The patch applies to these versions of the flag only; absent for any. */
    expectedVersions: expectedVersionsSchema,
  }),
  output: versionedFeatureSchema,
  errors: ['not-found', 'bad-data', 'invalid-operation', 'limit-exceeded', 'precondition-failed'],
  // Each path that a patch changes needs its own permission.
  permission: [
    ...new Set(Object.values(permissionsOfPaths).flatMap((of) => (typeof of === 'string' ? of : Object.values(of)))),
  ],
});

export const switchEnvironment = request({
  name: 'flags.environment.switch',
  writes: true,
  summary: 'Switches a flag on or off in an environment; switching on adds the default strategy if the flag has none',
  input: z.object({
    ...{ projectId: z.string(), featureName: z.string(), environment: z.string(), enabled: z.boolean() },
    /** Switching on enables the disabled strategies of the flag in the environment. */
    shouldActivateDisabledStrategies: z.boolean().default(false),
  }),
  output: versionedFeatureSchema,
  errors: ['not-found', 'bad-data', 'archived-feature', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_ENVIRONMENT',
});
