import { z } from 'zod';
import { request } from '../contract.ts';
import { permissionSchema } from '../permission-schema.ts';
import { type Permission, permissionNames, permissions } from '../permissions.ts';
import { displayDescriptionSchema, displayNameSchema } from './fields.ts';

/** Root roles apply everywhere, project roles in the projects where they are granted. Users make the `custom` ones. */
export const roleTypes = ['root', 'root-custom', 'project', 'custom'] as const;

/** A role of the public API. Predefined: 1 Admin, 2 Editor, 3 Viewer (root), 4 Owner, 5 Member (project). */
export const roleSchema = z
  .object({
    id: z.number().int(),
    type: z.enum(roleTypes),
    name: z.string(),
    description: z.string(),
    project: z.string().nullable(),
  })
  .meta({
    id: 'roleSchema',
    examples: [
      { id: 2, type: 'root', name: 'Editor', description: 'May do most things in every project.', project: null },
    ],
  });

export type Role = z.infer<typeof roleSchema>;

/** A permission of the public API. `environment` is set where it applies in that environment only. */
export const listedPermissionSchema = z
  .object({
    id: z.number().int(),
    name: permissionSchema,
    displayName: z.string(),
    type: z.enum(['root', 'project', 'environment']),
    environment: z.string().nullable(),
  })
  .meta({ id: 'adminPermissionSchema' });

export type ListedPermission = z.infer<typeof listedPermissionSchema>;

/** Describes a permission for the public API. Its id is its place in the list of permissions, from 1. */
export function listedPermission(name: Permission, environment: string | null = null): ListedPermission {
  const { scope, displayName } = permissions[name];
  return { id: permissionNames.indexOf(name) + 1, name, displayName, type: scope, environment };
}

/** The permission with this wire id. */
export function permissionOfId(id: number): Permission | undefined {
  return permissionNames[id - 1];
}

/** The maximum number of permissions of a role. A permission counts once per environment. */
const maxPermissions = 500;

export const roleWithPermissionsSchema = roleSchema
  .extend({ permissions: z.array(listedPermissionSchema).max(maxPermissions) })
  .meta({
    id: 'roleWithPermissionsSchema',
    examples: [
      {
        id: 101,
        type: 'custom',
        name: 'Release manager',
        description: 'Switches flags on in production.',
        project: null,
        permissions: [listedPermission('UPDATE_FEATURE_ENVIRONMENT', 'production')],
      },
    ],
  });

export type RoleWithPermissions = z.infer<typeof roleWithPermissionsSchema>;

const givenPermissions = z
  .array(
    z
      .object({
        id: z.number().int().optional(),
        name: z.string().optional(),
        environment: z.string().nullable().optional(),
      })
      .refine(({ id, name }) => id !== undefined || name !== undefined, 'should have an id or a name'),
  )
  .max(maxPermissions, `should have at most ${maxPermissions} entries`);

const roleDefinitionExample = {
  name: 'Release manager',
  description: 'Switches flags on in production.',
  type: 'custom' as const,
  permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' }],
};

/** The input that defines a role. A permission is named by `name`, or by its `id` in the list of permissions. */
export const roleDefinitionSchema = z
  .object({
    name: displayNameSchema.max(100, 'should have at most 100 characters'),
    description: displayDescriptionSchema.default(''),
    /** `root-custom` applies everywhere, `custom` in the projects where it is granted. */
    type: z.enum(['root-custom', 'custom']).optional(),
    permissions: givenPermissions.default([]),
  })
  .meta({ examples: [roleDefinitionExample] });

export type RoleDefinition = z.infer<typeof roleDefinitionSchema>;

export const listRoles = request({
  name: 'accounts.role.list',
  writes: false,
  summary: 'Every role',
  input: z.object({}),
  output: z.object({ roles: z.array(roleSchema) }),
  permission: 'READ_ROLE',
});

export const getRole = request({
  name: 'accounts.role.get',
  writes: false,
  summary: 'One role with its permissions',
  input: z.object({ roleId: z.number().int() }),
  output: roleWithPermissionsSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createRole = request({
  name: 'accounts.role.create',
  writes: true,
  summary: 'Makes a custom root role if the type says so, else a custom project role',
  input: roleDefinitionSchema,
  output: roleSchema,
  errors: ['bad-data', 'name-exists'],
  permission: 'ADMIN',
});

export const validateRole = request({
  name: 'accounts.role.validate',
  writes: false,
  summary: 'Checks whether a role of this definition could be made',
  input: roleDefinitionSchema
    .extend({ id: z.number().int().optional() })
    .meta({ examples: [{ id: 101, ...roleDefinitionExample }] }),
  output: z.object({}),
  errors: ['bad-data', 'name-exists'],
  permission: 'READ_ROLE',
});

export const updateRole = request({
  name: 'accounts.role.update',
  writes: true,
  summary: 'Changes name, description and permissions of a custom role; absent fields and the type stay',
  input: roleDefinitionSchema
    .extend({
      roleId: z.number().int(),
      description: displayDescriptionSchema.optional(),
      permissions: givenPermissions.optional(),
    })
    .meta({ examples: [{ roleId: 101, ...roleDefinitionExample }] }),
  output: roleSchema,
  errors: ['not-found', 'bad-data', 'name-exists'],
  permission: 'ADMIN',
});

export const deleteRole = request({
  name: 'accounts.role.delete',
  writes: true,
  summary: 'Deletes a custom role that no user or group has',
  input: z.object({ roleId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'role-in-use'],
  permission: 'ADMIN',
});
