/** Where a permission applies: everywhere, in one project, or in one environment of one project. */
export type PermissionScope = 'root' | 'project' | 'environment';

interface PermissionDefinition {
  scope: PermissionScope;
  /** The text in the form that selects the permissions of a role. */
  displayName: string;
}

const root = (displayName: string) => ({ scope: 'root', displayName }) as const satisfies PermissionDefinition;
const project = (displayName: string) => ({ scope: 'project', displayName }) as const satisfies PermissionDefinition;
const environment = (displayName: string) =>
  ({ scope: 'environment', displayName }) as const satisfies PermissionDefinition;

/**
 * The permissions of the public product with their scopes. `ADMIN` includes every other permission. The list includes
 * permissions that no operation requires yet, so that roles can be imported unchanged. The place in the list is the
 * permission's wire id: append to the list and never sort it.
 */
export const permissions = {
  ADMIN: root('Admin'),
  CREATE_ADDON: root('Create integrations'),
  UPDATE_ADDON: root('Update integrations'),
  DELETE_ADDON: root('Delete integrations'),
  READ_CLIENT_API_TOKEN: root('Read backend API tokens'),
  CREATE_CLIENT_API_TOKEN: root('Create backend API tokens'),
  UPDATE_CLIENT_API_TOKEN: root('Update backend API tokens'),
  DELETE_CLIENT_API_TOKEN: root('Delete backend API tokens'),
  READ_FRONTEND_API_TOKEN: root('Read frontend API tokens'),
  CREATE_FRONTEND_API_TOKEN: root('Create frontend API tokens'),
  UPDATE_FRONTEND_API_TOKEN: root('Update frontend API tokens'),
  DELETE_FRONTEND_API_TOKEN: root('Delete frontend API tokens'),
  UPDATE_APPLICATION: root('Update applications'),
  CREATE_CONTEXT_FIELD: root('Create context fields'),
  UPDATE_CONTEXT_FIELD: root('Update context fields'),
  DELETE_CONTEXT_FIELD: root('Delete context fields'),
  CREATE_PROJECT: root('Create projects'),
  READ_ROLE: root('Read roles'),
  CREATE_SEGMENT: root('Create segments'),
  UPDATE_SEGMENT: root('Edit segments'),
  DELETE_SEGMENT: root('Delete segments'),
  CREATE_STRATEGY: root('Create activation strategies'),
  UPDATE_STRATEGY: root('Update activation strategies'),
  DELETE_STRATEGY: root('Delete activation strategies'),
  CREATE_TAG_TYPE: root('Create tag types'),
  UPDATE_TAG_TYPE: root('Update tag types'),
  DELETE_TAG_TYPE: root('Delete tag types'),
  RELEASE_PLAN_TEMPLATE_CREATE: root('Create release plan templates'),
  RELEASE_PLAN_TEMPLATE_UPDATE: root('Update release plan templates'),
  RELEASE_PLAN_TEMPLATE_DELETE: root('Delete release plan templates'),
  READ_LOGS: root('Read the events of people in the event log'),
  UPDATE_MAINTENANCE_MODE: root('Change the maintenance mode'),
  UPDATE_INSTANCE_BANNERS: root('Change instance banners'),
  UPDATE_CORS: root('Change CORS origins'),
  UPDATE_AUTH_CONFIGURATION: root('Change single sign-on'),
  CREATE_FEATURE: project('Create flags'),
  UPDATE_FEATURE: project('Update flags'),
  UPDATE_FEATURE_DEPENDENCY: project('Update flag dependencies'),
  DELETE_FEATURE: project('Archive flags'),
  MOVE_FEATURE_TOGGLE: project('Move flags to another project'),
  UPDATE_FEATURE_VARIANTS: project('Create and edit variants of flags'),
  UPDATE_PROJECT: project('Update the project'),
  DELETE_PROJECT: project('Delete the project'),
  UPDATE_PROJECT_SEGMENT: project('Create and edit segments of the project'),
  UPDATE_PROJECT_CONTEXT: project('Create and edit context fields of the project'),
  UPDATE_PROJECT_RELEASE_TEMPLATE: project('Create and edit release plan templates of the project'),
  PROJECT_USER_ACCESS_READ: project('View who has access to the project'),
  PROJECT_USER_ACCESS_WRITE: project('Change who has access to the project'),
  PROJECT_DEFAULT_STRATEGY_READ: project('View default strategies of the project'),
  PROJECT_DEFAULT_STRATEGY_WRITE: project('Change default strategies of the project'),
  PROJECT_SETTINGS_READ: project('View settings of the project'),
  PROJECT_SETTINGS_WRITE: project('Change settings of the project'),
  PROJECT_CHANGE_REQUEST_READ: project('View the configuration of change requests'),
  PROJECT_CHANGE_REQUEST_WRITE: project('Change the configuration of change requests'),
  READ_PROJECT_API_TOKEN: project('Read API tokens of the project'),
  CREATE_PROJECT_API_TOKEN: project('Create API tokens of the project'),
  DELETE_PROJECT_API_TOKEN: project('Delete API tokens of the project'),
  CREATE_FEATURE_STRATEGY: environment('Create activation strategies of flags'),
  UPDATE_FEATURE_STRATEGY: environment('Update activation strategies of flags'),
  DELETE_FEATURE_STRATEGY: environment('Delete activation strategies of flags'),
  UPDATE_FEATURE_ENVIRONMENT: environment('Switch flags on and off'),
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: environment('Update variants of flags'),
  APPROVE_CHANGE_REQUEST: environment('Approve and reject change requests'),
  APPLY_CHANGE_REQUEST: environment('Apply change requests'),
  SKIP_CHANGE_REQUEST: environment('Skip the change request process'),
} as const satisfies Record<string, PermissionDefinition>;

export type Permission = keyof typeof permissions;

export const permissionNames = Object.keys(permissions) as [Permission, ...Permission[]];

/** Whether this version has a permission of that name. */
export function isPermission(name: string): name is Permission {
  return Object.hasOwn(permissions, name);
}
