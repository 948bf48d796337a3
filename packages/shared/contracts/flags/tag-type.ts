import { z } from 'zod';
import { request } from '../contract.ts';

const texts = {
  description: z.string().max(10_000, 'should have at most 10000 characters').nullable(),
  icon: z.string().max(1_000, 'should have at most 1000 characters').nullable(),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'should be a color such as #FFA500')
    .nullable(),
};

/** Names of tag types are part of URLs. */
const tagTypeNameSchema = z
  .string()
  .min(2, 'should have at least 2 characters')
  .max(50, 'should have at most 50 characters')
  .regex(/^[a-zA-Z0-9_.~-]+$/, 'should be URL friendly: letters, digits and -_.~')
  .refine((name) => name !== '..', 'should be URL friendly: .. is a path step');

export const tagTypeSchema = z.object({ name: z.string(), ...texts }).meta({
  id: 'tagTypeSchema',
  examples: [{ name: 'team', description: 'The team that owns the flag.', icon: '👥', color: '#FFA500' }],
});

export type TagType = z.infer<typeof tagTypeSchema>;

const newTagTypeSchema = z
  .strictObject({
    name: tagTypeNameSchema,
    description: texts.description.default(null),
    icon: texts.icon.default(null),
    color: texts.color.default(null),
  })
  .meta({ examples: [{ name: 'team', description: 'The team that owns the flag.' }] });

export const listTagTypes = request({
  name: 'flags.tag-type.list',
  writes: false,
  summary: 'All types of tags',
  input: z.object({}),
  output: z.object({ tagTypes: z.array(tagTypeSchema) }),
  permission: 'authenticated',
});

export const getTagType = request({
  name: 'flags.tag-type.get',
  writes: false,
  summary: 'One type of tags',
  input: z.object({ name: z.string() }),
  output: z.object({ tagType: tagTypeSchema }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const validateTagType = request({
  name: 'flags.tag-type.validate',
  writes: false,
  summary: 'Whether a type of tags could be made: a refusal says why not',
  input: z
    .strictObject({ name: tagTypeNameSchema, ...z.object(texts).partial().shape })
    .meta({ examples: [{ name: 'team', description: 'The team that owns the flag.' }] }),
  // What is not sent is absent: the public product's answer has no null for it.
  output: z
    .object({ valid: z.boolean(), tagType: tagTypeSchema.partial().required({ name: true }) })
    .meta({ examples: [{ valid: true, tagType: { name: 'team', description: 'The team that owns the flag.' } }] }),
  errors: ['name-exists'],
  permission: ['CREATE_TAG_TYPE', 'UPDATE_TAG_TYPE'],
});

export const createTagType = request({
  name: 'flags.tag-type.create',
  writes: true,
  summary: 'Makes a type of tags',
  input: newTagTypeSchema,
  output: tagTypeSchema,
  errors: ['name-exists', 'limit-exceeded'],
  permission: 'CREATE_TAG_TYPE',
});

export const updateTagType = request({
  name: 'flags.tag-type.update',
  writes: true,
  summary: 'Changes a type of tags; what is not sent stays',
  input: z
    .object({ name: z.string(), ...z.object(texts).partial().shape })
    .meta({ examples: [{ name: 'team', description: 'The team that owns the flag.' }] }),
  output: z.object({}),
  errors: ['not-found', 'limit-exceeded'],
  permission: 'UPDATE_TAG_TYPE',
});

export const deleteTagType = request({
  name: 'flags.tag-type.delete',
  writes: true,
  summary: 'Deletes a type of tags that no flag has a tag of, with its tags',
  input: z.object({ name: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'conflict'],
  permission: 'DELETE_TAG_TYPE',
});

/** For integrations: the types of tags that a provider reads exist before the first integration with it. */
export const ensureTagTypes = request({
  name: 'flags.tag-type.ensure',
  writes: true,
  summary: 'Makes those of these types of tags that do not exist; the others stay as they are',
  input: z.object({
    tagTypes: z.array(z.object({ name: z.string(), description: z.string(), icon: z.string() })).max(10),
  }),
  output: z.object({}),
  permission: 'internal',
  callers: ['integrations'],
});
