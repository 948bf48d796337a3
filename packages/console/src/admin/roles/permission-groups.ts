import type { Schemas } from '../../api/client.ts';
import type { PermissionGroup } from './permission-matrix.tsx';

export type Permissions = Schemas['adminPermissionsSchema']['permissions'];

/** The permissions of the whole instance. */
export const rootGroup = ({ root }: Permissions): PermissionGroup => ({ title: 'Instance', permissions: root });

/** The permissions in a project, and in each of its environments. */
export function projectGroups({ project, environments }: Permissions): PermissionGroup[] {
  return [
    { title: 'Project', permissions: project },
    ...environments.map(({ name, permissions }) => ({
      title: `Environment ${name}`,
      permissions: permissions.map((permission) => ({ ...permission, environment: name })),
    })),
  ];
}
