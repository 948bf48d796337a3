import { z } from 'zod';
import { request } from '../contract.ts';
import { newTagSchema, sentTag, tagSchema } from './feature.ts';
import { featureNamesSchema } from './feature-changes.ts';

export type Tag = z.infer<typeof tagSchema>;

/** A tag of a flag. The color is that of its type, for consoles. */
export const coloredTagSchema = tagSchema
  .extend({ color: z.string().nullable() })
  .meta({ examples: [{ type: 'simple', value: 'payments', color: null }] });

/** Each event of a flag carries its tags, so their number bounds the size of its events. */
export const maxTags = 50;

const tags = z.object({ tags: z.array(coloredTagSchema).max(maxTags) });

// Twice as many as a flag may have: a mistake beyond that is not a change of tags.
const changedTags = z.array(newTagSchema).max(2 * maxTags);

/**
 * Of many flags in one request: as many as the most flags with one tag. Each is a row and an event, which take 0.12 ms,
 * and other requests wait for all of them.
 */
const maxTagChanges = 5_000;

const tagExample = { type: 'simple', value: 'payments' };

const changeSchema = z
  .strictObject({ addedTags: changedTags, removedTags: changedTags })
  .meta({ examples: [{ addedTags: [tagExample], removedTags: [{ type: 'simple', value: 'billing' }] }] });

const oneTag = z.object({ tag: tagSchema });

export const listTags = request({
  name: 'flags.tag.list',
  writes: false,
  summary: 'All tags, of one type if it is named',
  input: z.object({ type: z.string().optional() }),
  output: z.object({ tags: z.array(tagSchema) }),
  permission: 'authenticated',
});

export const getTag = request({
  name: 'flags.tag.get',
  writes: false,
  summary: 'One tag',
  input: z.object({ type: z.string(), value: z.string() }),
  output: oneTag,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createTag = request({
  name: 'flags.tag.create',
  writes: true,
  summary: 'Makes a tag of an existing type; adding a tag to a flag also makes it',
  // As in the public product, the value is stored without spaces around it.
  input: z.strictObject({ ...sentTag, value: z.string().trim().min(2).max(50) }).meta({ examples: [tagExample] }),
  output: oneTag,
  errors: ['name-exists', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE',
});

export const deleteTag = request({
  name: 'flags.tag.delete',
  writes: true,
  summary: 'Deletes a tag that no flag has',
  input: z.object({ type: z.string(), value: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'conflict'],
  permission: 'UPDATE_FEATURE',
});

// The paths of these requests do not name the project of the flag. The use case checks the permission in it.
export const listFeatureTags = request({
  name: 'flags.feature-tag.list',
  writes: false,
  summary: 'The tags of a flag',
  input: z.object({ featureName: z.string() }),
  output: tags,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const addFeatureTag = request({
  name: 'flags.feature-tag.add',
  writes: true,
  summary: 'Adds a tag to a flag, and makes the tag if it is new; needs UPDATE_FEATURE in the flag’s project',
  input: z.strictObject({ featureName: z.string(), ...sentTag }).meta({
    examples: [{ featureName: 'checkout', ...tagExample }],
  }),
  output: tagSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'authenticated',
});

export const updateFeatureTags = request({
  name: 'flags.feature-tag.update',
  writes: true,
  summary: 'Adds tags to a flag and removes others; needs UPDATE_FEATURE in the flag’s project',
  input: z.strictObject({ featureName: z.string(), ...changeSchema.shape }).meta({
    examples: [{ featureName: 'checkout', addedTags: [tagExample], removedTags: [] }],
  }),
  output: tags,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'authenticated',
});

export const removeFeatureTag = request({
  name: 'flags.feature-tag.remove',
  writes: true,
  summary: 'Removes a tag from a flag; needs UPDATE_FEATURE in the flag’s project',
  input: z.object({ featureName: z.string(), type: z.string(), value: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const updateTagsOfFeatures = request({
  name: 'flags.feature-tag.update-many',
  writes: true,
  summary: 'Adds tags to flags of a project and removes others, all or none',
  input: z
    .strictObject({ projectId: z.string(), features: featureNamesSchema, tags: changeSchema })
    .refine(
      ({ features, tags }) => features.length * (tags.addedTags.length + tags.removedTags.length) <= maxTagChanges,
      { path: ['features'], error: `should have fewer items: the tags make more than ${maxTagChanges} changes` },
    )
    .meta({
      examples: [{ projectId: 'default', features: ['checkout'], tags: { addedTags: [tagExample], removedTags: [] } }],
    }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE',
});
