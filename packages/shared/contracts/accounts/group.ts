import { z } from 'zod';
import { request } from '../contract.ts';
import { displayDescriptionSchema, displayNameSchema, timestamp } from './fields.ts';
import { userNameSchema } from './user.ts';

const groupExample = {
  id: 3,
  name: 'Release crew',
  description: 'Who is on duty this week',
  mappingsSSO: [],
  rootRole: null,
  createdBy: 'ann@example.com',
  createdAt: '2026-01-31T12:00:00.000Z',
  users: [
    {
      joinedAt: '2026-01-31T12:00:00.000Z',
      createdBy: 'ann@example.com',
      user: {
        id: 12,
        name: 'Ann Bonny',
        username: 'ann',
        email: 'ann@example.com',
        imageUrl: 'https://gravatar.com/avatar/71d4?s=42&d=retro&r=g',
        accountType: 'User' as const,
        rootRole: 2,
      },
    },
  ],
  projects: ['default'],
  userCount: 1,
};

/**
 * A group of users and service accounts. Its members have the permissions of its root role everywhere, and those of its
 * project roles in those projects.
 */
export const groupSchema = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string().nullable(),
    mappingsSSO: z.array(z.string()),
    rootRole: z.number().int().nullable(),
    createdBy: z.string().nullable(),
    createdAt: timestamp,
    users: z.array(
      z.object({
        joinedAt: timestamp,
        createdBy: z.string().nullable(),
        user: userNameSchema.extend({ rootRole: z.number().int() }),
      }),
    ),
    projects: z.array(z.string()),
    userCount: z.number().int(),
  })
  .meta({ id: 'groupSchema', examples: [groupExample] });

export type Group = z.infer<typeof groupSchema>;

const definition = {
  name: displayNameSchema,
  description: displayDescriptionSchema.nullable(),
  mappingsSSO: z
    .array(z.string().max(255, 'should have at most 255 characters'))
    .max(100, 'should have at most 100 entries'),
  rootRole: z.number().int().nullable(),
  users: z
    .array(z.object({ user: z.object({ id: z.number().int() }) }))
    .max(10_000, 'should have at most 10000 entries'),
};

/** A group in the answer of a create or an update: without members, since they can be too many for one message. */
export const changedGroupSchema = groupSchema.extend({
  mappingsSSO: definition.mappingsSSO,
  users: groupSchema.shape.users.max(0),
});

/** The input that defines a group. Members are `{ user: { id } }`, as in the public API. */
export const groupDefinitionSchema = z
  .object({
    name: definition.name,
    description: definition.description.default(null),
    mappingsSSO: definition.mappingsSSO.default([]),
    rootRole: definition.rootRole.default(null),
    users: definition.users.default([]),
  })
  .meta({
    examples: [{ name: 'Release crew', description: 'Who is on duty this week', users: [{ user: { id: 12 } }] }],
  });

export const listGroups = request({
  name: 'accounts.group.list',
  writes: false,
  summary: 'Every group with its members',
  input: z.object({}),
  output: z.object({ groups: z.array(groupSchema) }).meta({ examples: [{ groups: [groupExample] }] }),
  permission: 'authenticated',
});

export const getGroup = request({
  name: 'accounts.group.get',
  writes: false,
  summary: 'One group with its members',
  input: z.object({ groupId: z.number().int() }),
  output: groupSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createGroup = request({
  name: 'accounts.group.create',
  writes: true,
  summary: 'Makes a group; the answer lists no members',
  input: groupDefinitionSchema,
  output: changedGroupSchema,
  errors: ['bad-data', 'name-exists'],
  permission: 'ADMIN',
});

export const updateGroup = request({
  name: 'accounts.group.update',
  writes: true,
  summary:
    'Changes name, description, root role and members of a group; absent fields stay; the answer lists no members',
  input: z
    .object(definition)
    .partial()
    .required({ name: true })
    .extend({ groupId: z.number().int() })
    .meta({ examples: [{ groupId: 3, name: 'Release crew', users: [{ user: { id: 12 } }, { user: { id: 41 } }] }] }),
  output: changedGroupSchema,
  errors: ['not-found', 'bad-data', 'name-exists'],
  permission: 'ADMIN',
});

export const deleteGroup = request({
  name: 'accounts.group.delete',
  writes: true,
  summary: 'Deletes a group; its members lose the permissions that it gave them',
  input: z.object({ groupId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});
