import { z } from 'zod';
import { request } from '../contract.ts';
import { featureNamesSchema } from './feature-changes.ts';

const oneFeature = z.object({ projectId: z.string(), featureName: z.string() });

const manyFeatures = z.object({ projectId: z.string(), features: featureNamesSchema });

const nothing = z.object({});

export const archiveFeature = request({
  name: 'flags.feature.archive',
  writes: true,
  summary: 'Archives a flag; an archived one stays as it is',
  input: oneFeature,
  output: nothing,
  errors: ['not-found', 'invalid-operation'],
  permission: 'DELETE_FEATURE',
});

export const archiveFeatures = request({
  name: 'flags.feature.archive-many',
  writes: true,
  summary: 'Archives flags of a project, all or none; names of no flag are ignored',
  input: manyFeatures,
  output: nothing,
  errors: ['not-found', 'operation-denied', 'invalid-operation'],
  permission: 'DELETE_FEATURE',
});

export const validateArchiveFeatures = request({
  name: 'flags.feature.validate-archive',
  writes: false,
  summary: 'Which of these flags cannot be archived together, and whether their dependencies would be removed',
  input: manyFeatures,
  output: z.object({ parentsWithChildFeatures: featureNamesSchema, hasDeletedDependencies: z.boolean() }),
  errors: ['not-found'],
  permission: 'DELETE_FEATURE',
});

/** Its permission, UPDATE_FEATURE, is required in the project of the flag. */
export const reviveFeature = request({
  name: 'flags.feature.revive',
  writes: true,
  summary: 'Revives an archived flag, off in every environment; needs UPDATE_FEATURE in its project',
  input: z.object({ featureName: z.string() }),
  output: nothing,
  errors: ['not-found', 'limit-exceeded'],
  permission: 'authenticated',
});

export const reviveFeatures = request({
  name: 'flags.feature.revive-many',
  writes: true,
  summary: 'Revives archived flags of a project, all or none; names of no flag are ignored',
  input: manyFeatures,
  output: nothing,
  errors: ['not-found', 'operation-denied', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE',
});

/** Its permission, DELETE_FEATURE, is required in the project of the flag. */
export const deleteFeature = request({
  name: 'flags.feature.delete',
  writes: true,
  summary: 'Deletes an archived flag for ever, and leaves any other as it is; needs DELETE_FEATURE in its project',
  input: z.object({ featureName: z.string() }),
  output: nothing,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const deleteFeatures = request({
  name: 'flags.feature.delete-many',
  writes: true,
  summary: 'Deletes archived flags of a project for ever, all or none; other names are ignored',
  input: manyFeatures,
  output: nothing,
  errors: ['not-found', 'operation-denied'],
  permission: 'DELETE_FEATURE',
});
