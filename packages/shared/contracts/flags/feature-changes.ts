import { z } from 'zod';
import { request } from '../contract.ts';
import {
  changeableFeatureSchema,
  featureEnvironmentSchema,
  featureNameSchema,
  maxFeatureNameLength,
  patchFeature,
  switchEnvironment,
  versionedFeatureSchema,
} from './feature.ts';

/** For an operation on many flags. A request with as many of the longest names fits into one message. */
export const maxFeatureNames = 5000;

/** The names of flags for an operation on many. */
export const featureNamesSchema = z
  .array(z.string().max(maxFeatureNameLength))
  .max(maxFeatureNames)
  .meta({ examples: [['checkout', 'search']] });

const { type, description, stale, impressionData, archived } = changeableFeatureSchema.shape;

/** As in the public product, an absent property gets its first value, except that an absent `archived` stays. */
export const updateFeature = request({
  name: 'flags.feature.update',
  writes: true,
  summary: 'Replaces the changeable properties of a flag',
  input: z.object({
    projectId: z.string(),
    featureName: z.string(),
    /** Scripts send back the flag that they read. Another name than the flag's is refused. */
    name: z.string().optional(),
    type: type.default('release'),
    description: description.default(null),
    stale: stale.default(false),
    impressionData: impressionData.default(false),
    archived: archived.optional(),
  }),
  output: versionedFeatureSchema,
  errors: ['not-found', 'bad-data', 'invalid-operation', 'limit-exceeded'],
  permission: patchFeature.permission,
});

export const validateFeature = request({
  name: 'flags.feature.validate-name',
  writes: false,
  summary: 'Checks that a new flag could have a name, in a project if one is given',
  input: z.object({
    name: featureNameSchema,
    projectId: z
      .string()
      .max(100)
      .nullable()
      .default(null)
      .meta({ examples: ['web'] }),
  }),
  output: z.object({}),
  errors: ['name-exists', 'bad-data'],
  permission: 'authenticated',
});

export const staleFeatures = request({
  name: 'flags.feature.mark-stale',
  writes: true,
  summary: 'Marks flags of a project as stale or not stale, all or none; names of no flag are ignored',
  input: z.object({ projectId: z.string(), features: featureNamesSchema, stale: z.boolean() }),
  output: z.object({}),
  errors: ['not-found', 'operation-denied'],
  permission: 'UPDATE_FEATURE',
});

export const cloneFeature = request({
  name: 'flags.feature.clone',
  writes: true,
  summary: 'Copies a flag with its strategies, variants and dependencies to a new one, off in every environment',
  input: z.object({
    projectId: z.string(),
    featureName: z.string(),
    name: featureNameSchema,
    replaceGroupId: z.boolean().default(true),
  }),
  output: versionedFeatureSchema,
  errors: ['not-found', 'name-exists', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_FEATURE',
});

/** Its permission is also required in the other project. */
export const changeProject = request({
  name: 'flags.feature.change-project',
  writes: true,
  summary: 'Moves a flag to another project, which has the same environments; needs the permission in both',
  input: z.object({
    projectId: z.string(),
    featureName: z.string(),
    newProjectId: z
      .string()
      .max(100)
      .meta({ examples: ['web'] }),
  }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'forbidden', 'incompatible-project', 'limit-exceeded'],
  permission: 'MOVE_FEATURE_TOGGLE',
});

export const getFeatureEnvironment = request({
  name: 'flags.feature.get-environment',
  writes: false,
  summary: 'One environment of a flag with its strategies',
  input: z.object({ projectId: z.string(), featureName: z.string(), environment: z.string() }),
  output: featureEnvironmentSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const switchFeatures = request({
  name: 'flags.environment.switch-many',
  writes: true,
  summary: 'Switches flags of a project on or off in an environment, all or none',
  input: switchEnvironment.input.omit({ featureName: true }).extend({ features: featureNamesSchema }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'archived-feature', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_ENVIRONMENT',
});
