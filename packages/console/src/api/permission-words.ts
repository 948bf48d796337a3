import { isPermission, permissions } from '@yardarm/shared/contracts/permissions';

/** What a permission is called on the screens of roles, with its name in the API: `“Update flags” (UPDATE_FEATURE)`. */
export function permissionWords(name: string): string {
  return isPermission(name) ? `“${permissions[name].displayName}” (${name})` : name;
}

/** A refusal of the API, in which permissions are called as on the screens of roles. */
export function withPermissionWords(message: string): string {
  return message.replace(/"([A-Z_]+)"/g, (quoted, name) => (isPermission(name) ? permissionWords(name) : quoted));
}
