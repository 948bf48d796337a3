import { z } from 'zod';

/** Where a permission holds: everywhere, in one project, or in one environment of one project. */
export type PermissionScope = 'root' | 'project' | 'environment';

/** The permission names of the public product, each with its scope. `ADMIN` includes every other one. */
export const permissions = {
  ADMIN: 'root',
  CREATE_ADDON: 'root',
  UPDATE_ADDON: 'root',
  DELETE_ADDON: 'root',
  READ_CLIENT_API_TOKEN: 'root',
  CREATE_CLIENT_API_TOKEN: 'root',
  UPDATE_CLIENT_API_TOKEN: 'root',
  DELETE_CLIENT_API_TOKEN: 'root',
  READ_FRONTEND_API_TOKEN: 'root',
  CREATE_FRONTEND_API_TOKEN: 'root',
  UPDATE_FRONTEND_API_TOKEN: 'root',
  DELETE_FRONTEND_API_TOKEN: 'root',
  UPDATE_APPLICATION: 'root',
  CREATE_CONTEXT_FIELD: 'root',
  UPDATE_CONTEXT_FIELD: 'root',
  DELETE_CONTEXT_FIELD: 'root',
  CREATE_PROJECT: 'root',
  READ_ROLE: 'root',
  CREATE_SEGMENT: 'root',
  UPDATE_SEGMENT: 'root',
  DELETE_SEGMENT: 'root',
  CREATE_STRATEGY: 'root',
  UPDATE_STRATEGY: 'root',
  DELETE_STRATEGY: 'root',
  CREATE_TAG_TYPE: 'root',
  UPDATE_TAG_TYPE: 'root',
  DELETE_TAG_TYPE: 'root',
  READ_LOGS: 'root',
  CREATE_FEATURE: 'project',
  UPDATE_FEATURE: 'project',
  UPDATE_FEATURE_DEPENDENCY: 'project',
  DELETE_FEATURE: 'project',
  MOVE_FEATURE_TOGGLE: 'project',
  UPDATE_FEATURE_VARIANTS: 'project',
  UPDATE_PROJECT: 'project',
  DELETE_PROJECT: 'project',
  UPDATE_PROJECT_SEGMENT: 'project',
  PROJECT_USER_ACCESS_READ: 'project',
  PROJECT_USER_ACCESS_WRITE: 'project',
  PROJECT_DEFAULT_STRATEGY_READ: 'project',
  PROJECT_DEFAULT_STRATEGY_WRITE: 'project',
  PROJECT_SETTINGS_READ: 'project',
  PROJECT_SETTINGS_WRITE: 'project',
  READ_PROJECT_API_TOKEN: 'project',
  CREATE_PROJECT_API_TOKEN: 'project',
  DELETE_PROJECT_API_TOKEN: 'project',
  CREATE_FEATURE_STRATEGY: 'environment',
  UPDATE_FEATURE_STRATEGY: 'environment',
  DELETE_FEATURE_STRATEGY: 'environment',
  UPDATE_FEATURE_ENVIRONMENT: 'environment',
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: 'environment',
} as const satisfies Record<string, PermissionScope>;

export type Permission = keyof typeof permissions;

export const permissionSchema = z.enum(Object.keys(permissions) as [Permission, ...Permission[]]);
