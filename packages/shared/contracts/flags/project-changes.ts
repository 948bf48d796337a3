import { z } from 'zod';
import { request } from '../contract.ts';
import { featureNamingSchema, linkTemplateSchema } from './project.ts';
import { recordKey } from './record-key.ts';

const idPattern = /^[a-zA-Z0-9_.~-]*$/;

/** Project ids are part of URLs, so they are URL-safe. `.` and `..` would be path steps. */
const idSchema = z
  .string()
  .max(100, 'should have at most 100 characters')
  .regex(idPattern, 'should be URL friendly: letters, digits and -_.~')
  .refine((id) => id !== '.' && id !== '..', 'should be URL friendly: . and .. are path steps')
  .refine(...recordKey);

const nameSchema = z
  .string()
  .max(100, 'should have at most 100 characters')
  .refine((name) => name.trim() !== '', 'should contain a character that is not blank');

const descriptionSchema = z.string().max(10_000, 'should have at most 10000 characters').nullable();
const stickinessSchema = z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters');

/** There are no change requests, so nobody is less than a member. To accept another mode would promise protection. */
const modeSchema = z.literal('open', 'should be open: there are no other modes');

/** How many flags that are not archived the project may have; null for any number. */
const featureLimitSchema = z.int32().min(0, 'should not be negative').nullable();

/** There are no change requests. To accept an environment would promise a protection that does not exist. */
const changeRequestEnvironmentsSchema = z.array(z.unknown()).max(0, 'should be empty: there are no change requests');

export const createProject = request({
  name: 'flags.project.create',
  writes: true,
  summary:
    'Makes a project. Without an id it gets one made from its name, and without environments it has all that are on',
  input: z
    .object({
      /** The id of the project; an empty one counts as none. */
      id: idSchema.optional(),
      name: nameSchema,
      description: descriptionSchema.default(null),
      mode: modeSchema.default('open'),
      defaultStickiness: stickinessSchema.default('default'),
      featureLimit: featureLimitSchema.default(null),
      environments: z.array(z.string()).max(1000).optional(),
      changeRequestEnvironments: changeRequestEnvironmentsSchema.default([]),
    })
    .meta({ examples: [{ id: 'shop', name: 'Shop', environments: ['development', 'production'] }] }),
  output: z
    .object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      featureLimit: z.number().int().nullable(),
      mode: z.literal('open'),
      defaultStickiness: z.string(),
      environments: z.array(z.string()),
      changeRequestEnvironments: z.array(z.never()).max(0),
    })
    .meta({
      examples: [
        {
          ...{ id: 'shop', name: 'Shop', description: 'What we sell.', featureLimit: null, mode: 'open' },
          ...{ defaultStickiness: 'default', environments: ['development'], changeRequestEnvironments: [] },
        },
      ],
    }),
  errors: ['name-exists', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_PROJECT',
});

export const validateProject = request({
  name: 'flags.project.validate',
  writes: false,
  summary: 'Checks that a project may have this id: it is valid and no project has it',
  input: z.object({ id: idSchema.min(1, 'should not be empty') }).meta({ examples: [{ id: 'shop' }] }),
  output: z.object({}),
  errors: ['name-exists'],
  permission: 'CREATE_PROJECT',
});

const mayUpdate = ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'] as const;

export const updateProject = request({
  name: 'flags.project.update',
  writes: true,
  summary: 'Changes name, description, default stickiness and limit of flags of a project; absent properties stay',
  input: z
    .object({
      projectId: z.string(),
      name: nameSchema,
      description: descriptionSchema.optional(),
      mode: modeSchema.optional(),
      defaultStickiness: stickinessSchema.optional(),
      featureLimit: featureLimitSchema.optional(),
    })
    .meta({ examples: [{ projectId: 'shop', name: 'Web shop', description: 'Everything that customers see.' }] }),
  output: z.object({}),
  errors: ['not-found', 'limit-exceeded'],
  permission: mayUpdate,
});

export const updateProjectSettings = request({
  name: 'flags.project.update-settings',
  writes: true,
  summary: 'Changes the naming pattern, link templates and limit of flags of a project; absent properties stay',
  input: z
    .object({
      projectId: z.string(),
      mode: modeSchema.optional(),
      featureNaming: featureNamingSchema.optional(),
      linkTemplates: z.array(linkTemplateSchema).max(50, 'should have at most 50 entries').optional(),
      featureLimit: featureLimitSchema.optional(),
    })
    .meta({
      examples: [{ projectId: 'shop', featureNaming: { pattern: 'shop\\.[a-z-]+', example: 'shop.checkout' } }],
    }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: mayUpdate,
});

export const archiveProject = request({
  name: 'flags.project.archive',
  writes: true,
  summary: 'Archives a project whose flags are all archived',
  input: z.object({ projectId: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'conflict', 'operation-denied'],
  permission: 'DELETE_PROJECT',
});

export const reviveProject = request({
  name: 'flags.project.revive',
  writes: true,
  summary: 'Makes an archived project usable again; its flags stay archived',
  input: z.object({ projectId: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'limit-exceeded'],
  permission: 'UPDATE_PROJECT',
});

export const deleteProject = request({
  name: 'flags.project.delete',
  writes: true,
  summary: 'Deletes a project whose flags are all archived, with these flags, its segments and its context fields',
  input: z.object({ projectId: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'conflict', 'operation-denied'],
  permission: 'DELETE_PROJECT',
});

export const addFavoriteProject = request({
  name: 'flags.project.add-favorite',
  writes: true,
  summary: "Makes a project one of the caller's favorites",
  input: z.object({ projectId: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const removeFavoriteProject = request({
  name: 'flags.project.remove-favorite',
  writes: true,
  summary: "Makes a project none of the caller's favorites",
  input: z.object({ projectId: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'authenticated',
});
