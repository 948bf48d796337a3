import { z } from 'zod';
import { request } from '../contract.ts';
import { permissionNames } from '../permissions.ts';
import { listedPermission, listedPermissionSchema, roleSchema, roleWithPermissionsSchema } from './role.ts';
import { rootRoleExample, userNameSchema } from './user.ts';

const everyPermission = z
  .array(listedPermissionSchema.extend({ hasPermission: z.boolean() }))
  .max(permissionNames.length);

export const permissionOverviewSchema = z
  .object({
    user: userNameSchema.extend({ rootRole: z.number().int() }),
    overview: z.object({
      root: everyPermission,
      project: everyPermission,
      environment: everyPermission,
      /** The groups of the user. The permissions above include those of their root roles. */
      groups: z.array(z.object({ id: z.number().int(), name: z.string(), rootRole: z.number().int().nullable() })),
    }),
    rootRole: roleSchema,
    /** The roles in the project of the question, own ones and those of groups. */
    projectRoles: z.array(roleWithPermissionsSchema.extend({ project: z.string() })),
  })
  .meta({
    id: 'permissionOverviewSchema',
    examples: [
      {
        user: {
          id: 41,
          name: 'Deployer',
          username: 'deployer',
          imageUrl: 'https://gravatar.com/avatar/59a8?s=42&d=retro&r=g',
          accountType: 'Service Account',
          rootRole: 3,
        },
        overview: {
          root: [{ ...listedPermission('CREATE_PROJECT'), hasPermission: false }],
          project: [{ ...listedPermission('UPDATE_FEATURE'), hasPermission: true }],
          environment: [{ ...listedPermission('UPDATE_FEATURE_ENVIRONMENT', 'production'), hasPermission: true }],
          groups: [{ id: 2, name: 'Release managers', rootRole: null }],
        },
        rootRole: rootRoleExample,
        projectRoles: [],
      },
    ],
  });

export type PermissionOverview = z.infer<typeof permissionOverviewSchema>;

export const getPermissionOverview = request({
  name: 'accounts.role.overview-of',
  writes: false,
  summary: 'The permissions of a user or a service account: everywhere, in a project and in an environment',
  input: z.object({
    userId: z.number().int(),
    kind: z.enum(['user', 'service-account']),
    project: z.string().optional(),
    environment: z.string().optional(),
  }),
  output: permissionOverviewSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});

/** One line of the overview of all access: a user or service account with its roles. */
export const accessRowSchema = z
  .object({
    userId: z.number().int(),
    accountType: z.enum(['User', 'Service Account']),
    name: z.string().nullable(),
    username: z.string().nullable(),
    email: z.string().nullable(),
    createdAt: z.iso.datetime(),
    seenAt: z.iso.datetime().nullable(),
    rootRole: z.string(),
    groups: z.array(z.string()),
    projectRoles: z.array(z.object({ project: z.string(), role: z.string(), group: z.string().nullable() })),
  })
  .meta({ id: 'userAccessSchema' });

export type AccessRow = z.infer<typeof accessRowSchema>;

export const getAccessOverview = request({
  name: 'accounts.role.access-overview',
  writes: false,
  summary: 'Who has access to what: every user and service account with root role, groups and roles in projects',
  input: z.object({}),
  output: z.object({ overview: z.array(accessRowSchema) }).meta({
    examples: [
      {
        overview: [
          {
            userId: 12,
            accountType: 'User',
            name: 'Ann Bonny',
            username: 'ann',
            email: 'ann@example.com',
            createdAt: '2026-01-31T12:00:00.000Z',
            seenAt: null,
            rootRole: 'Editor',
            groups: ['Release crew'],
            projectRoles: [{ project: 'default', role: 'Member', group: 'Release crew' }],
          },
        ],
      },
    ],
  }),
  permission: 'ADMIN',
});
