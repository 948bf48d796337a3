import { z } from 'zod';
import { request } from '../contract.ts';
import { timestamp } from './fields.ts';
import { roleSchema } from './role.ts';
import { userNameSchema } from './user.ts';

const grantedRoles = z.object({ roles: z.array(z.number().int()), addedAt: timestamp });
const id = z.number().int();
const roleIds = z.array(id).max(100, 'should have at most 100 entries');
const references = z.array(z.object({ id })).max(1000, 'should have at most 1000 entries').default([]);
/** All holders of one role, not only the added ones. The limit is that of the members of a group. */
const allHolders = z.array(id).max(10_000, 'should have at most 10000 entries').default([]);
const canRead = ['PROJECT_USER_ACCESS_READ', 'UPDATE_PROJECT'] as const;
const canWrite = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;

export const projectAccessSchema = z
  .object({
    users: z.array(userNameSchema.extend(grantedRoles.shape)),
    groups: z.array(
      z.object({ id, name: z.string(), description: z.string().nullable(), userCount: id }).extend(grantedRoles.shape),
    ),
    roles: z.array(roleSchema),
  })
  .meta({
    id: 'projectAccessSchema',
    examples: [
      {
        users: [
          {
            id: 12,
            name: 'Ann Bonny',
            username: 'ann',
            email: 'ann@example.com',
            imageUrl: 'https://gravatar.com/avatar/71d4?s=42&d=retro&r=g',
            accountType: 'User',
            roles: [4],
            addedAt: '2026-01-31T12:00:00.000Z',
          },
        ],
        groups: [
          {
            id: 3,
            name: 'Release crew',
            description: 'Who is on duty this week',
            userCount: 5,
            roles: [5],
            addedAt: '2026-01-31T12:00:00.000Z',
          },
        ],
        roles: [
          { id: 4, type: 'project', name: 'Owner', description: 'May do everything in the project.', project: null },
          { id: 5, type: 'project', name: 'Member', description: 'May change flags in the project.', project: null },
        ],
      },
    ],
  });

export type ProjectAccess = z.infer<typeof projectAccessSchema>;

export const getProjectAccess = request({
  name: 'accounts.project-access.get',
  writes: false,
  summary: 'The users and groups with roles in a project, and the roles that can be granted there',
  input: z.object({ projectId: z.string() }),
  output: projectAccessSchema,
  errors: ['not-found'],
  permission: canRead,
});

/**
 * A change of access is refused with `no-access` unless its author has every permission of its roles in the project.
 * This holds for all contracts below.
 */
export const addProjectAccess = request({
  name: 'accounts.project-access.add',
  writes: true,
  summary: 'Grants users and groups roles in a project; the roles that they have stay',
  input: z
    .object({
      projectId: z.string(),
      roles: roleIds.min(1, 'should not be empty'),
      users: z.array(id).max(1000, 'should have at most 1000 entries').default([]),
      groups: z.array(id).max(1000, 'should have at most 1000 entries').default([]),
    })
    .meta({ examples: [{ projectId: 'default', roles: [5], users: [12], groups: [3] }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: canWrite,
});

export const setProjectAccess = request({
  name: 'accounts.project-access.set',
  writes: true,
  summary: 'Replaces the access to a project: users and groups that are not named lose their roles there',
  input: z
    .object({
      projectId: z.string(),
      roles: z
        .array(z.object({ id, users: allHolders, groups: allHolders }))
        .max(100, 'should have at most 100 entries'),
    })
    .meta({ examples: [{ projectId: 'default', roles: [{ id: 4, users: [12], groups: [3] }] }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'content-too-large'],
  permission: canWrite,
});

export const addProjectRole = request({
  name: 'accounts.project-access.add-role',
  writes: true,
  summary: 'Grants users and groups one role in a project',
  input: z
    .object({ projectId: z.string(), roleId: id, users: references, groups: references })
    .meta({ examples: [{ projectId: 'default', roleId: 4, users: [{ id: 12 }], groups: [{ id: 3 }] }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: canWrite,
});

export const setUserProjectRoles = request({
  name: 'accounts.project-access.set-user-roles',
  writes: true,
  summary: "Replaces a user's roles in a project; an empty list revokes the access",
  input: z.object({ projectId: z.string(), userId: id, roles: roleIds }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: canWrite,
});

export const setGroupProjectRoles = request({
  name: 'accounts.project-access.set-group-roles',
  writes: true,
  summary: "Replaces a group's roles in a project; an empty list revokes the access",
  input: z.object({ projectId: z.string(), groupId: id, roles: roleIds }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: canWrite,
});

const count = z.number().int().min(0);

/** Who has the role Owner in a project, as a user or as a group. */
export const projectOwnerSchema = z.discriminatedUnion('ownerType', [
  z.object({
    ownerType: z.literal('user'),
    name: z.string(),
    email: z.string().nullable(),
    imageUrl: z.string(),
  }),
  z.object({ ownerType: z.literal('group'), name: z.string() }),
]);

export const projectAccessSummarySchema = z.object({
  project: z.string(),
  owners: z.array(projectOwnerSchema),
  /** Users and service accounts with a role in the project, of their own or by a group. */
  members: count,
  /** The members who have a role of their own in the project. */
  directMembers: count,
  /** Those with a role of their own that got the first of their roles in the last 30 days. */
  addedMembers: count,
  /** API tokens that are valid in this project and not in all. */
  apiTokens: count,
});

export type ProjectAccessSummary = z.infer<typeof projectAccessSummarySchema>;

export const summarizeProjectAccess = request({
  name: 'accounts.project-access.summarize',
  writes: false,
  summary: 'The owners of projects and the numbers of their members and API tokens; projects without any are missing',
  input: z.object({
    /** The projects to summarize; null means every project. */
    projects: z.array(z.string()).max(1000, 'should have at most 1000 entries').nullable(),
  }),
  output: z.object({ summaries: z.array(projectAccessSummarySchema) }),
  permission: 'authenticated',
});
